/** One active run: prepares, starts, supervises the ranks until all have ended, and reports the outcome. */
import { isCancelled, toWireError, type WireError } from '../../../shared/base/errors.ts';
import { isEnded, type RankRecord, type RunRecord } from '../../../shared/run/run.ts';
import { secondsNow } from '../../base/clock.ts';
import { createLaunch } from '../launch/launch.ts';
import { createWatch, type Watch } from '../follow/watch.ts';
import { keepRecord } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';

export interface ActiveRun {
  readonly record: RunRecord;
  /** Prepares and starts in the background; `resume`: from the run's newest checkpoint, if there is one. */
  begin(resume: boolean): void;
  /** Follows ranks that a previous process of the app started. */
  adopt(): Promise<void>;
  /** Resolves when an adopted run's nodes have reported the state of its ranks, or proved unreachable; else at once. */
  sighted(): Promise<void>;
  stop(): Promise<void>;
  change(apply: (run: RunRecord) => RunRecord): Promise<RunRecord>;
  /** Resolves with the record when the run has ended, or with undefined when it was closed before. */
  readonly ended: Promise<RunRecord | undefined>;
  close(): Promise<void>;
}

export function createActiveRun(services: RunServices, initial: RunRecord): ActiveRun {
  const { clock, settings, events } = services;
  const lab = initial.lab;
  const keeper = keepRecord({ ...services, diskFullRetry: settings.diskFullRetry }, initial);
  const launcher = services.launcher(lab);
  const closing = new AbortController();
  const preparing = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<RunRecord | undefined>();
  let watch: Watch | undefined;
  let working: Promise<void> = Promise.resolve();

  const finish = async (state: RunRecord['state'], error: WireError | undefined): Promise<void> => {
    const run = await keeper.change((before) =>
      isEnded(before.state) ? before : endedRun(before, state, error ?? before.error, secondsNow(clock)),
    );
    end(run);
  };
  const startWatch = async (adopted: boolean): Promise<void> => {
    if (closing.signal.aborted) return;
    watch = createWatch({ services, launcher, keeper, signal: closing.signal, finish });
    await watch.begin({ adopted, stopWanted: keeper.current.state === 'stopping' });
  };
  const nowRunning = (): Promise<RunRecord> =>
    keeper.change((run) =>
      run.state === 'starting' && run.job?.waits !== true ? { ...run, state: 'running' } : run,
    );
  const launch = async (resume: boolean): Promise<void> => {
    const launching = createLaunch({ services, launcher, keeper, signal: preparing.signal });
    try {
      await launching.prepare();
      await launching.start(resume);
    } catch (error) {
      if (closing.signal.aborted) return;
      await launching.undo();
      if (keeper.current.state === 'stopping' && isCancelled(error)) await finish('stopped', undefined);
      else await finish('failed', toWireError(error));
      return;
    }
    await nowRunning();
    await startWatch(false);
  };
  const background = (work: Promise<void>): void => {
    working = work.catch((error: unknown) => {
      if (!closing.signal.aborted) events.emit('app.problem', { error: toWireError(error) });
    });
  };
  return {
    get record() {
      return keeper.current;
    },
    begin: (resume) => background(launch(resume)),
    async adopt() {
      await nowRunning();
      await startWatch(true);
    },
    sighted: () => watch?.sighted ?? Promise.resolve(),
    async stop() {
      const again = keeper.current.state === 'stopping';
      if (!again) {
        await keeper.change((run) => ({ ...run, state: 'stopping' }));
        preparing.abort();
      }
      watch?.stop(again);
    },
    change: (apply) => keeper.change(apply),
    ended,
    async close() {
      closing.abort();
      preparing.abort();
      // In this order: a start in progress may still begin to watch.
      await working;
      await watch?.close();
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
  const ranks = run.ranks.map((rank): RankRecord => {
    if (rank.state === 'unreachable') return { ...rank, state: 'lost' };
    // Not every rank could be started; the others have been ended.
    return rank.state === 'running' || rank.state === 'starting' ? { ...rank, state: 'stopped' } : rank;
  });
  const ended = error !== undefined && state !== 'finished' && state !== 'stopped';
  return { ...run, state, ranks, unreachable: {}, endedAt: now, error: ended ? error : undefined };
}
