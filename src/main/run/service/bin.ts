/** The bin: a deleted run stays in it for a week, so that deletion can be undone. */
import { createKeyedQueue } from '../../base/serial-queue.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Store } from '../../store/index.ts';
import type { StoredChanges } from './stored-changes.ts';

/** Seconds until a run in the bin is deleted. */
export const binSeconds = 7 * 86_400;

export const intoBin = (run: RunRecord, nodes: boolean, now: number): RunRecord => ({
  ...run,
  binned: { t: now, nodes },
});

export interface BinParts {
  readonly store: Pick<Store, 'listRuns' | 'getRun'>;
  readonly change: StoredChanges['change'];
  /** Unix seconds. */
  readonly now: () => number;
  readonly isActive: (runId: string) => boolean;
  /** Deletes a run; rejects as soon as `signal` is aborted, and then keeps its record. */
  readonly remove: (run: RunRecord, signal: AbortSignal) => Promise<void>;
  /** Called with the errors of deletions. */
  readonly report: (error: unknown) => void;
  /** Ends what is being deleted. */
  readonly closing: AbortSignal;
}

export interface Bin {
  /** Deletes the runs whose week is over, one after another; concurrent callers share it. A run that cannot be deleted stays. */
  empty(): Promise<void>;
  /** Also while the run is being deleted: it stays then, with what its nodes still have. */
  restore(runId: string): Promise<RunRecord>;
}

export function createBin({ store, change, now, isActive, remove, report, closing }: BinParts): Bin {
  const inTurn = createKeyedQueue();
  /** Deletions that restoring their run ends. */
  const deletions = new Map<string, AbortController>();
  let emptying: Promise<void> | undefined;
  const isOverdue = ({ binned }: RunRecord): boolean => binned !== undefined && now() - binned.t > binSeconds;
  const removeOverdue = async (runId: string): Promise<void> => {
    const restored = new AbortController();
    const signal = AbortSignal.any([restored.signal, closing]);
    deletions.set(runId, restored);
    try {
      await inTurn(runId, async () => {
        // Another run's node may have kept this one waiting for minutes, in which the user restored it.
        const run = await store.getRun(runId);
        if (run === undefined || !isOverdue(run) || isActive(runId)) return;
        await remove(run, signal);
      });
    } catch (error) {
      if (!signal.aborted) report(error);
    } finally {
      deletions.delete(runId);
    }
  };
  const removeAll = async (): Promise<void> => {
    for (const run of (await store.listRuns()).filter(isOverdue))
      if (!closing.aborted) await removeOverdue(run.id);
  };
  return {
    empty: () =>
      (emptying ??= removeAll()
        .catch(report)
        .finally(() => (emptying = undefined))),
    restore(runId) {
      deletions.get(runId)?.abort();
      return inTurn(runId, () =>
        change(runId, (binned) => {
          const run = { ...binned };
          delete run.binned;
          return run;
        }),
      );
    },
  };
}
