/**
 * The queue of runs: one lab's run one after another, in order. After a run that the user stopped, or that failed
 * before it trained, those that wait are held: nothing starts that the user may not want, and the same failure would
 * probably repeat; not where the run's own settings explain it. The user releases them by starting one of them, or by resuming that run; what is queued later does not wait for them.
 */
import { backOffMs } from '../../../shared/base/back-off.ts';
import { isCancelled, RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { pause, secondsNow } from '../../base/clock.ts';
import { createSerialQueue } from '../../base/serial-queue.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { scalarKind } from '../../../shared/run/run-outputs.ts';
import type { EventLog } from '../../base/events.ts';
import type { Store } from '../../store/index.ts';
import { patientSave } from '../record/save-run.ts';
import type { RunServices } from '../record/services.ts';
import type { StoredChanges } from './stored-changes.ts';

export interface QueueParts {
  readonly store: Pick<Store, 'listRuns' | 'saveRun' | 'lines'>;
  readonly change: StoredChanges['change'];
  readonly events: EventLog;
  readonly now: () => number;
  /** Whether a run of this lab is active. */
  readonly busy: (labId: string) => boolean;
  readonly launch: (run: RunRecord) => Promise<unknown>;
  /** Resolves when a start that failed so many times may be tried again; rejects when the app closes. */
  readonly retry: (failures: number) => Promise<void>;
}

export interface Queue {
  /** Records them as queued, and starts the first where the lab is free; a start that fails is reported, as they wait all the same. */
  add(records: readonly RunRecord[]): Promise<void>;
  /** A run has ended: holds those that wait, where the user may not want them. */
  hold(ended: RunRecord): Promise<void>;
  /** A run has ended, and what it held is recorded: starts the next one that is not held. */
  after(ended: RunRecord): Promise<void>;
  /** Starts the first run that waits and is not held, where the lab is free. */
  next(labId: string): Promise<void>;
  /** The same for this lab, or for all: an app that has ended did not come to it. */
  goOn(labId?: string): Promise<void>;
  /** The app closes while it prepares a run that the queue started: it waits again, and holds nothing. */
  putBack(run: RunRecord): Promise<void>;
  /** The user starts a queued run, or resumes one that has ended. @param alone the others stay held */
  release(started: RunRecord, alone?: boolean): Promise<void>;
  /** Removes a run from the queue: it ends as stopped. Resolves with the record, another one where it has left the queue before. */
  leave(run: RunRecord): Promise<RunRecord>;
  /** Resolves when all that was asked is recorded. */
  settled(): Promise<void>;
}

/** A script may print no step: one that worked for so long failed at nothing that the next one meets at once. */
const trainedSeconds = 120;

/** What one configuration may do and the next one need not: too large a batch, too high a learning rate. */
const ownFailures: ReadonlySet<string> = new Set([
  ...['rank_out_of_memory', 'diverged'],
  ...['cuda.out_of_memory', 'memory.killed', 'memory.exhausted'],
]);

const isOwnFailure = ({ state, error, ranks }: RunRecord): boolean =>
  state === 'failed' &&
  [error?.code, ...ranks.flatMap((rank) => [rank.error?.code, rank.diagnoses?.[0]?.code])].some(
    (code) => code !== undefined && ownFailures.has(code),
  );

/** Whether the next run starts after this one's end. */
async function goesOn(run: RunRecord, store: Pick<Store, 'lines'>): Promise<boolean> {
  const { id, state, step, epochsCompleted, startedAt, endedAt, lab } = run;
  if (state === 'finished') return true;
  if (state === 'stopped') return false;
  if (step > 0 || epochsCompleted > 0 || isOwnFailure(run)) return true;
  if (lab.experiment.script === undefined || startedAt === undefined) return false;
  if (endedAt !== undefined && endedAt - startedAt >= trainedSeconds) return true;
  return (await store.lines({ runId: id, kinds: [scalarKind], limit: 1 })).length > 0;
}

const isWaiting = ({ state, binned }: RunRecord): boolean => state === 'queued' && binned === undefined;

const isGone = (error: unknown): boolean => error instanceof RinglabError && error.code === 'not_found';

/** What a queue takes from the services: until `closing` it waits where a record cannot be written at the moment. */
export function queueServices(
  services: Pick<RunServices, 'store' | 'events' | 'clock' | 'settings'>,
  closing: AbortSignal,
): Pick<QueueParts, 'store' | 'events' | 'now' | 'retry'> {
  const { store, events, clock, settings } = services;
  const saveRun = patientSave({ store, events, clock, diskFullRetry: settings.diskFullRetry }, closing);
  return {
    store: { listRuns: store.listRuns, lines: store.lines, saveRun },
    events,
    now: () => secondsNow(clock),
    retry: (failures) => pause(clock, backOffMs(failures, settings.restart, clock.random()), closing),
  };
}

/** Another run of the lab is under way, and its end starts the next one; or the app closes. */
const isRefused = (error: unknown): boolean =>
  isCancelled(error) || (error instanceof RinglabError && error.code === 'run_wrong_state');

export function createQueue({ store, change, events, now, busy, launch, retry }: QueueParts): Queue {
  const save = async (run: RunRecord): Promise<void> => {
    await store.saveRun(run);
    events.emit('run.changed', { run });
  };
  const waiting = async (labId: string): Promise<RunRecord[]> =>
    (await store.listRuns({ labId, endedSince: Infinity }))
      .filter((run) => run.labId === labId && isWaiting(run))
      .sort((a, b) => a.createdAt - b.createdAt);
  /** Of runs as they are listed: the user may remove one before its turn. */
  const hold = async (runs: readonly RunRecord[], heldBy: string | undefined): Promise<void> => {
    for (const { id } of runs)
      await change(id, (run) => (isWaiting(run) ? { ...run, heldBy } : run), store.saveRun).catch(
        (error: unknown) => {
          if (!isGone(error)) throw error;
        },
      );
  };
  /** Runs that this queue has started. */
  const launched = new Set<string>();
  /** Serialised: two ends at once must not start two runs. */
  const inTurn = createSerialQueue();
  const startFirst = (labId: string): Promise<void> =>
    inTurn(async () => {
      for (;;) {
        const first = (await waiting(labId)).find(({ heldBy }) => heldBy === undefined);
        if (first === undefined || busy(labId)) return;
        try {
          launched.add(first.id);
          await launch(first);
          return;
        } catch (error) {
          // A launch may wait, and the user may remove the run meanwhile: then it is the next one's turn.
          if ((await waiting(labId)).some(({ id }) => id === first.id)) throw error;
        }
      }
    });
  /** Labs of which a start is tried again. */
  const retried = new Set<string>();
  /** Nothing else would look at the queue again before another run of the lab ends. */
  const tryAgain = async (labId: string): Promise<void> => {
    if (retried.has(labId)) return;
    retried.add(labId);
    try {
      for (let failures = 1; ; failures += 1) {
        await retry(failures);
        try {
          await startFirst(labId);
          return;
        } catch (error) {
          // It was reported when it first failed.
          if (isRefused(error)) return;
        }
      }
    } finally {
      retried.delete(labId);
    }
  };
  const next = async (labId: string): Promise<void> => {
    try {
      await startFirst(labId);
    } catch (error) {
      // Rejects when the app closes.
      if (!isRefused(error)) void tryAgain(labId).catch(() => undefined);
      throw error;
    }
  };
  return {
    async add(records) {
      for (const record of records) await save({ ...record, state: 'queued' });
      const [first] = records;
      if (first !== undefined)
        await next(first.labId).catch((error: unknown) => {
          if (!isRefused(error)) events.emit('app.problem', { error: toWireError(error) });
        });
    },
    async hold(ended) {
      if (await goesOn(ended, store)) return;
      await inTurn(async () => {
        const free = (await waiting(ended.labId)).filter(({ heldBy }) => heldBy === undefined);
        await hold(free, ended.id);
      });
    },
    async after(ended) {
      if (await goesOn(ended, store)) await next(ended.labId);
    },
    next,
    async goOn(labId) {
      const runs = await store.listRuns({ labId, endedSince: Infinity });
      const free = runs.filter((run) => isWaiting(run) && run.heldBy === undefined);
      const each = [...new Set(free.map((run) => run.labId))].map(async (id) => {
        // Another run of the lab may start at this moment.
        await next(id).catch((error: unknown) => {
          if (!isRefused(error)) throw error;
        });
      });
      await Promise.all(each);
    },
    async putBack(run) {
      if (launched.has(run.id) && run.state === 'preparing' && run.attempt === 1)
        await store.saveRun({ ...run, state: 'queued' });
    },
    async release({ id, labId, state }, alone = false) {
      await inTurn(async () => {
        const held = (await waiting(labId)).filter(({ heldBy }) => heldBy !== undefined);
        const isFreed = (run: RunRecord): boolean =>
          alone ? run.id === id : state === 'queued' || run.heldBy === id;
        await hold(held.filter(isFreed), undefined);
      });
    },
    leave: ({ id }) =>
      change(
        id,
        (run) =>
          run.state === 'queued' ? { ...run, state: 'stopped', endedAt: now(), heldBy: undefined } : run,
        store.saveRun,
      ),
    settled: () => inTurn.settled(),
  };
}
