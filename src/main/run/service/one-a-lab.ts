/** A lab runs once at a time: which of its runs is under way, also while its start is being recorded. */
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { phrase } from '../../i18n/index.ts';
import { wrongState } from '../record/wrong-state.ts';

export interface OneALab {
  isBusy(labId: string): boolean;
  /** Throws `run_wrong_state` where a run of the lab is under way. */
  refuseSecond(labId: string): void;
  /** Until `recorded` is done the run counts as under way: its record is still the one of a run that has ended or is queued. */
  during<T>(runId: string, recorded: () => Promise<T>): Promise<T>;
}

export function createOneALab(
  active: ReadonlyMap<string, { readonly record: Pick<RunRecord, 'id' | 'labId' | 'name' | 'state'> }>,
): OneALab {
  const launching = new Set<string>();
  const underWay = (labId: string): Pick<RunRecord, 'id' | 'name' | 'state'> | undefined =>
    [...active.values()]
      .map(({ record }) => (launching.has(record.id) ? { ...record, state: 'preparing' as const } : record))
      .find((run) => run.labId === labId && !isEnded(run.state));
  return {
    isBusy: (labId) => underWay(labId) !== undefined,
    refuseSecond(labId) {
      const other = underWay(labId);
      if (other === undefined) return;
      throw wrongState(other, phrase('reasons.run.stopOther', { name: other.name }), { run: other.id });
    },
    async during(runId, recorded) {
      launching.add(runId);
      try {
        return await recorded();
      } finally {
        launching.delete(runId);
      }
    },
  };
}
