/** Brings the checkpoints of ended runs to this computer, in the background. */
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import { isWithinHour } from '../../../shared/run/recovery.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { secondsNow } from '../../base/clock.ts';
import { fetchCheckpoints } from '../artifacts/artifacts.ts';
import type { RunServices } from '../record/services.ts';
import type { StoredChanges } from './stored-changes.ts';

export interface CheckpointsHome {
  bring(run: RunRecord): void;
  /**
   * Goes on with what an app that was closed has not fetched from pods, as long as these live.
   * @param isBusy whether a run of the lab uses the pods again
   */
  goOn(runs: readonly RunRecord[], isBusy: (labId: string) => boolean): void;
  /** Gives up a run that is removed. */
  stop(runId: string): Promise<void>;
  /**
   * The lab's next run uses the pods of those that have ended: resolves when nothing more is fetched from them. The user may
   * have removed the run meanwhile.
   */
  keepPods(next: RunRecord): Promise<void>;
  /** Resolves when nothing more is fetched from the pods of runs that have ended in this app, and these are released. */
  leftPods(): Promise<void>;
  /** Resolves when all have ended. */
  ended(): Promise<void>;
}

/** Whether its nodes may have a checkpoint that is to be fetched, and can be reached. */
export const hasCheckpoints = ({ state, ranks, lab }: RunRecord): boolean =>
  state !== 'lost' && lab.experiment.script === undefined && ranks.some(({ argv }) => argv.length > 0);

interface Fetching {
  readonly run: RunRecord;
  /** An earlier app has not finished it. */
  readonly isLeft: boolean;
  readonly stop: AbortController;
  keepsPods: boolean;
  done: Promise<void>;
}

/**
 * @param closing ends all
 * @param report called with errors: they do not fail the run
 */
export function createCheckpointsHome(
  services: RunServices,
  change: StoredChanges['change'],
  closing: AbortSignal,
  report: (error: unknown) => void,
): CheckpointsHome {
  const fetching = new Map<string, Fetching>();
  const fetch = async (one: Fetching, signal: AbortSignal): Promise<void> => {
    let areHome = true;
    try {
      areHome = await fetchCheckpoints(services, one.run, signal);
    } catch (error) {
      // With its pod the checkpoint is gone.
      if (!(error instanceof RinglabError) || error.code !== 'pods_ended') throw error;
    }
    if (signal.aborted) return;
    await noteFetched(one.run.id);
    // Pods without a claim end with the run, as soon as nothing would be lost with them.
    if (areHome && !one.keepsPods && !isNeeded(one)) await services.launcher(one.run.lab).release?.();
  };
  const noteFetched = async (runId: string): Promise<void> => {
    if ((await services.store.getRun(runId))?.unfetched === undefined) return;
    await change(runId, (run) => (run.unfetched === undefined ? run : { ...run, unfetched: undefined }));
  };
  /** Another run's checkpoints are being fetched from the same pods. */
  const isNeeded = ({ run }: Fetching): boolean =>
    [...fetching.values()].some((other) => other.run.id !== run.id && other.run.labId === run.labId);
  const bring = (run: RunRecord, isLeft: boolean, keepsPods = false): void => {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, closing]);
    const one: Fetching = { run, isLeft, stop, keepsPods, done: Promise.resolve() };
    fetching.set(run.id, one);
    one.done = fetch(one, signal)
      .catch((error: unknown) => {
        if (!isCancelled(error) && !signal.aborted) report(error);
      })
      .finally(() => fetching.delete(run.id));
  };
  return {
    bring: (run) => bring(run, false),
    goOn(runs, isBusy) {
      const now = secondsNow(services.clock);
      for (const run of runs)
        if (run.unfetched === true && isWithinHour(run.endedAt ?? 0, now))
          bring(run, true, isBusy(run.labId));
    },
    async stop(runId) {
      const one = fetching.get(runId);
      one?.stop.abort();
      await one?.done;
    },
    async keepPods(next) {
      if (services.launcher(next.lab).release === undefined) return;
      const ofLab = [...fetching.values()].filter(({ run }) => run.labId === next.labId);
      for (const one of ofLab) one.keepsPods = true;
      await Promise.all(ofLab.map(({ done }) => done));
      closing.throwIfAborted();
    },
    async leftPods() {
      const ofPods = [...fetching.values()].filter(({ run, isLeft }) => run.unfetched === true && !isLeft);
      await Promise.all(ofPods.map(({ done }) => done));
    },
    async ended() {
      await Promise.all([...fetching.values()].map(({ done }) => done));
    },
  };
}
