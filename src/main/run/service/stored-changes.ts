/** Changes of recorded runs, one after another for each run: none replaces another's with the record as it was before. */
import { notFound } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { EventLog } from '../../base/events.ts';
import { createKeyedQueue } from '../../base/serial-queue.ts';
import type { Store } from '../../store/index.ts';

export interface StoredChangesParts {
  readonly store: Pick<Store, 'getRun' | 'saveRun'>;
  readonly events: EventLog;
  /** The run where it is active: its own keeper orders its changes. */
  readonly active: ReadonlyMap<string, { change(apply: (run: RunRecord) => RunRecord): Promise<RunRecord> }>;
}

export interface StoredChanges {
  /**
   * Applies it to the record as it is then, saves and reports it; what returns its argument changes nothing. Resolves with
   * the record afterwards, rejects with `not_found`.
   * @param save how the record is saved
   */
  change(
    runId: string,
    apply: (run: RunRecord) => RunRecord,
    save?: (run: RunRecord) => Promise<void>,
  ): Promise<RunRecord>;
  /** Nothing changes the stored record during `work`, which must not call `change` of the same run. */
  alone<T>(runId: string, work: () => Promise<T>): Promise<T>;
}

export function createStoredChanges({ store, events, active }: StoredChangesParts): StoredChanges {
  const inTurn = createKeyedQueue();
  return {
    alone: inTurn,
    change: (runId, apply, save = (run) => store.saveRun(run)) =>
      inTurn(runId, async () => {
        const running = active.get(runId);
        if (running !== undefined) return await running.change(apply);
        const before = await store.getRun(runId);
        if (before === undefined) throw notFound('run', runId);
        const run = apply(before);
        if (run === before) return before;
        await save(run);
        // Lists of runs have none that is in the bin.
        if (run.binned === undefined) events.emit('run.changed', { run });
        else if (before.binned === undefined) events.emit('run.removed', { runId });
        return run;
      }),
  };
}
