/** One active run: prepares, starts, supervises the ranks until all have ended, and reports the outcome. */
import { isCancelled, RinglabError, toWireError, type WireError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { canTakeOut } from '../../../shared/run/membership.ts';
import {
  withAllRanks,
  withoutRejoin,
  type Replacement,
  type WantedReplacement,
} from '../../../shared/run/recovery.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { secondsNow } from '../../base/clock.ts';
import { createLaunch } from '../launch/launch.ts';
import { createDrawnAccess } from '../follow/drawn-access.ts';
import { endEarlier } from '../follow/end-earlier.ts';
import { createWatch, type Watch } from '../follow/watch.ts';
import { endedRanks } from '../record/ended-ranks.ts';
import { withMovedAddress } from '../recovery/moved-address.ts';
import { restartMoved } from '../recovery/moved-restart.ts';
import { createRecovery } from '../recovery/recovery.ts';
import { prepareRejoin, rejoinByItself } from '../recovery/rejoin.ts';
import { replacementsOf, withReplacements } from '../recovery/replacement.ts';
import { hasCheckpoints } from './checkpoints-home.ts';
import { nextAttempt } from './new-run.ts';
import type { Launcher } from '../record/launcher.ts';
import { keepRecord } from '../record/record.ts';
import { untilRecorded } from '../record/save-run.ts';
import type { RunServices } from '../record/services.ts';
import { wrongState } from '../record/wrong-state.ts';
import { phrase } from '../../i18n/index.ts';

export interface ActiveRun {
  readonly record: RunRecord;
  /** Prepares and starts in the background; `resume`: from the run's newest checkpoint, if there is one. */
  begin(resume: boolean): void;
  /** Follows ranks that a previous process of the app started, or continues its recovery. */
  adopt(): Promise<void>;
  /** Resolves when an adopted run's nodes have reported the state of its ranks, or proved unreachable; else at once. */
  sighted(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Takes lost ranks in again: prepares their nodes while the others train, stops those with a checkpoint, and starts
   * all from it as the next attempt. Resolves when the others are being stopped. Rejects with the error of a node that
   * cannot be prepared; the others then train on.
   * @param wanted nodes of `drawn` that take the places of lost ones
   */
  rejoin(wanted?: readonly WantedReplacement[], drawn?: LabDocument): Promise<void>;
  /** Ends the ranks of a node; the others go on. Throws `run_wrong_state` where they would not. */
  takeOut(nodeId: string): void;
  change(apply: (run: RunRecord) => RunRecord): Promise<RunRecord>;
  /** Resolves with the record when the run has ended, or with undefined when it was closed before. */
  readonly ended: Promise<RunRecord | undefined>;
  close(): Promise<void>;
}

export function createActiveRun(given: RunServices, initial: RunRecord): ActiveRun {
  const { clock, settings, events } = given;
  const keeper = keepRecord({ ...given, diskFullRetry: settings.diskFullRetry }, initial);
  const access = createDrawnAccess({ services: given, keeper });
  const services: RunServices = { ...given, reach: access.reach };
  // Of the attempt's lab: a node may be replaced.
  const launcher = (): Launcher => services.launcher(keeper.current.lab, access.reach);
  const closing = new AbortController();
  const recovery = createRecovery({ services, keeper });
  const { promise: ended, resolve: end } = Promise.withResolvers<RunRecord | undefined>();
  let preparing = new AbortController();
  let watch: Watch | undefined;
  let working: Promise<void> = Promise.resolve();
  /** Until it is recorded that the run is to stop, or that it cannot. */
  let stopping: Promise<unknown> = Promise.resolve();

  const report = (error: unknown): void => {
    if (!closing.signal.aborted) events.emit('app.problem', { error: toWireError(error) });
  };
  const recorded = (work: () => Promise<void>): Promise<void> =>
    untilRecorded(services, closing.signal, work);
  const finish = async (state: RunRecord['state'], error: WireError | undefined): Promise<void> => {
    const inPods = launcher().release !== undefined;
    const run = await keeper.change((before) => {
      if (isEnded(before.state)) return before;
      const next = endedRun(before, state, error ?? before.error, secondsNow(clock));
      return inPods && hasCheckpoints(next) ? { ...next, unfetched: true } : next;
    });
    end(run);
  };
  /** All ranks have ended, or could not be started. */
  const settle = async (
    state: RunRecord['state'],
    error: WireError | undefined,
    own: string | undefined,
    during: 'training' | 'start' = 'training',
  ): Promise<void> => {
    if (state === 'stopped' && (await rejoining())) {
      background(recover());
      return;
    }
    const named =
      during === 'start'
        ? error
        : await withMovedAddress(services, keeper.current, { error, own }, closing.signal);
    const failure = named === undefined ? undefined : { error: named, own };
    if (await recovery.after(state, failure, during)) {
      background(recover());
      return;
    }
    // A scheduler's job may begin and end between two looks.
    if (state === 'finished' || state === 'stopped')
      await keeper.change((run) => (run.state === 'starting' ? { ...run, state: 'running' } : run));
    await finish(state, named);
  };
  /** Whether the ranks were stopped to start again with all: the run is `recovering` then. */
  const rejoining = async (): Promise<boolean> => {
    const run = await keeper.change((before) =>
      before.recovery?.rejoins === true && before.state !== 'stopping'
        ? withReplacements({
            ...before,
            state: 'recovering',
            ranks: endedRanks(before.ranks),
            unreachable: {},
          })
        : before,
    );
    return run.state === 'recovering';
  };
  const startWatch = async (adopted: boolean): Promise<void> => {
    if (closing.signal.aborted) return;
    watch = createWatch({ services, launcher: launcher(), keeper, signal: closing.signal, finish: settle });
    const { state, recovery: { rejoins = false } = {} } = keeper.current;
    await watch.begin({ adopted, stopWanted: state === 'stopping' || rejoins });
  };
  const nowRunning = async (): Promise<void> => {
    const running = keeper.change((run) =>
      run.state === 'starting' && run.job?.waits !== true
        ? {
            ...run,
            state: 'running',
            recovery: withAllRanks(withoutRejoin(run.recovery), secondsNow(services.clock)),
          }
        : run,
    );
    // Followed in any case: the ranks train.
    await running.catch(report);
  };
  const launch = async (resume: boolean): Promise<void> => {
    // Rejected where the run is stopped, which the preparation notices, too.
    if (resume) await access.find(preparing.signal).catch(() => undefined);
    const launching = createLaunch({ services, launcher: launcher(), keeper, signal: preparing.signal });
    try {
      await launching.prepare();
      if (resume) await endEarlier(services, launcher(), keeper.current, preparing.signal);
      await recovery.begins();
      await launching.start(resume);
    } catch (error) {
      if (closing.signal.aborted) return;
      await launching.undo();
      await stopping;
      const isStopped = keeper.current.state === 'stopping' && isCancelled(error);
      await recorded(() =>
        isStopped ? finish('stopped', undefined) : settle('failed', toWireError(error), undefined, 'start'),
      );
      return;
    }
    await nowRunning();
    await startWatch(false);
  };
  const isClosing = (): boolean => closing.signal.aborted;
  const recover = async (): Promise<void> => {
    // First: a stop from now on must end the wait.
    preparing = new AbortController();
    await watch?.close();
    watch = undefined;
    if (isClosing()) return;
    const stillWanted = (run: RunRecord): RunRecord => {
      if (run.state !== 'recovering') throw new RinglabError('cancelled');
      return run;
    };
    try {
      stillWanted(keeper.current);
      await recovery.wait(preparing.signal);
      await keeper.change((run) => nextAttempt(stillWanted(run)));
    } catch (error) {
      if (isClosing()) return;
      await recorded(() =>
        isCancelled(error) ? finish('stopped', undefined) : finish('failed', toWireError(error)),
      );
      return;
    }
    await launch(true);
  };
  const rejoin = async (replaces: readonly Replacement[]): Promise<void> => {
    await prepareRejoin({ services, keeper }, preparing.signal, replaces);
    watch?.stop(false);
  };
  const endRejoining = rejoinByItself({ services, keeper }, () => rejoin([]));
  const endMoving = restartMoved({ services, keeper }, () => watch?.stop(false));
  const background = (work: Promise<void>): void => {
    const before = working;
    working = work.catch(report).then(() => before);
  };
  return {
    get record() {
      return keeper.current;
    },
    begin: (resume) => background(launch(resume)),
    async adopt() {
      if (keeper.current.state === 'preparing')
        await keeper.change((run) => ({ ...run, state: 'recovering' }));
      if (keeper.current.state === 'recovering') {
        background(recover());
        return;
      }
      await nowRunning();
      // As far as it was read before; what is read now comes as events.
      await recovery.catchUp().catch(report);
      await startWatch(true);
    },
    sighted: () => watch?.sighted ?? Promise.resolve(),
    async stop() {
      const again = keeper.current.state === 'stopping';
      const saved = again ? undefined : keeper.change((run) => ({ ...run, state: 'stopping' }));
      stopping = Promise.allSettled([saved]);
      const halt = (): void => {
        if (!again) preparing.abort();
        watch?.stop(again);
      };
      // Recording may wait for room on the disk.
      halt();
      await saved;
      // What has begun meanwhile.
      halt();
    },
    rejoin: async (wanted = [], drawn = keeper.current.lab) =>
      await rejoin(replacementsOf(keeper.current, drawn, wanted)),
    takeOut(nodeId) {
      if (!canTakeOut(keeper.current, nodeId))
        throw wrongState(keeper.current, phrase('reasons.run.notWithout'));
      watch?.takeOut(nodeId);
    },
    change: (apply) => keeper.change(apply),
    ended,
    async close() {
      closing.abort();
      keeper.stopWaiting();
      endRejoining();
      endMoving();
      access.close();
      preparing.abort();
      // In this order: a start in progress may still begin to watch.
      await working;
      await watch?.close();
      recovery.close();
      await keeper.close();
      end(undefined);
    },
  };
}

function endedRun(
  run: RunRecord,
  state: RunRecord['state'],
  error: WireError | undefined,
  now: number,
): RunRecord {
  const ended = error !== undefined && state !== 'finished' && state !== 'stopped';
  return {
    ...run,
    state,
    ranks: endedRanks(run.ranks),
    unreachable: {},
    endedAt: now,
    recovery: withoutRejoin(run.recovery),
    error: ended ? error : undefined,
  };
}
