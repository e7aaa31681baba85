/**
 * The queue of runs: one lab's run one after another, in order. After a run that the user stopped, or that failed
 * before its first step, those that wait are held: nothing starts that the user may not want, and the same failure would
 * probably repeat. The user releases them by starting one of them, or by resuming that run; what is queued later does not wait for them.
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
  /** A run has ended: holds those that wait, where the user may not want them. */
  hold(ended: RunRecord): Promise<void>;
  /** A run has ended, and what it held is recorded: starts the next one that is not held. */
  after(ended: RunRecord): Promise<void>;
  /** The user starts a queued run, or resumes one that has ended. */
  release(started: RunRecord): Promise<void>;
  /** Removes a run from the queue: it ends as stopped. */
  leave(run: RunRecord): Promise<void>;
  /** Resolves when all that was asked is recorded. */
  settled(): Promise<void>;
}

const goesOn = ({ state, step, epochsCompleted }: RunRecord): boolean =>
  state === 'finished' || (state !== 'stopped' && (step > 0 || epochsCompleted > 0));

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
        const first = (await waiting(labId)).find(({ heldBy }) => heldBy === undefined);
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
    async hold(ended) {
      if (goesOn(ended)) return;
      await inTurn(async () => {
        for (const run of await waiting(ended.labId))
          if (run.heldBy === undefined) await save({ ...run, heldBy: ended.id });
      });
    },
    async after(ended) {
      if (goesOn(ended)) await next(ended.labId);
    },
    async release({ id, labId, state }) {
      await inTurn(async () => {
        for (const run of await waiting(labId))
          if (run.heldBy !== undefined && (state === 'queued' || run.heldBy === id))
            await save({ ...run, heldBy: undefined });
      });
    },
    async leave(run) {
      if (run.state !== 'queued') throw wrongState(run, '');
      await save({ ...run, state: 'stopped', endedAt: now(), heldBy: undefined });
    },
    settled: () => inTurn.settled(),
  };
}
