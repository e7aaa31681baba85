/**
 * The queue of runs: one lab's run one after another, in order. After a run that the user stopped, or that failed
 * before its first step, the queue holds: nothing starts that the user may not want, and the same failure would
 * probably repeat. The user releases it by starting a queued run.
 */
import { createSerialQueue } from '../../base/serial-queue.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { EventLog } from '../../base/events.ts';
import type { Store } from '../../store/index.ts';
import { wrongState } from '../record/wrong-state.ts';

export interface QueueParts {
  readonly store: Pick<Store, 'listRuns' | 'saveRun'>;
  readonly events: EventLog;
  readonly now: () => number;
  /** Whether a run of this lab is active. */
  readonly busy: (labId: string) => boolean;
  readonly launch: (run: RunRecord) => Promise<unknown>;
}

export interface Queue {
  /** Records them as queued, and starts the first where the lab is free. */
  add(records: readonly RunRecord[]): Promise<void>;
  /** A run has ended: starts the next one, unless the queue holds. */
  after(ended: RunRecord): Promise<void>;
  /** Removes a run from the queue: it ends as stopped. */
  leave(run: RunRecord): Promise<void>;
}

export function createQueue({ store, events, now, busy, launch }: QueueParts): Queue {
  const save = async (run: RunRecord): Promise<void> => {
    await store.saveRun(run);
    events.emit('run.changed', { run });
  };
  const waiting = async (labId: string): Promise<RunRecord[]> =>
    (await store.listRuns())
      .filter((run) => run.labId === labId && run.state === 'queued' && run.binned === undefined)
      .sort((a, b) => a.createdAt - b.createdAt);
  /** Serialised: two ends at once must not start two runs. */
  const inTurn = createSerialQueue();
  const next = (labId: string): Promise<void> =>
    inTurn(async () => {
      for (;;) {
        const [first] = await waiting(labId);
        if (first === undefined || busy(labId)) return;
        try {
          await launch(first);
          return;
        } catch (error) {
          // A launch may wait, and the user may remove the run meanwhile: then it is the next one's turn.
          if ((await waiting(labId)).some(({ id }) => id === first.id)) throw error;
        }
      }
    });
  return {
    async add(records) {
      for (const record of records) await save({ ...record, state: 'queued' });
      const [first] = records;
      if (first !== undefined) await next(first.labId);
    },
    async after(ended) {
      const began = ended.step > 0 || ended.epochsCompleted > 0;
      if (ended.state === 'finished' || (ended.state !== 'stopped' && began)) await next(ended.labId);
    },
    async leave(run) {
      if (run.state !== 'queued') throw wrongState(run, '');
      await save({ ...run, state: 'stopped', endedAt: now() });
    },
  };
}
