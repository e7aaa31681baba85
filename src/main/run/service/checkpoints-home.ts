/** Brings the checkpoints of ended runs to this computer, in the background. */
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { fetchCheckpoints } from '../artifacts/artifacts.ts';
import type { RunServices } from '../record/services.ts';
import { stillWanted } from './still-wanted.ts';

export interface CheckpointsHome {
  bring(run: RunRecord): void;
  /** Gives up a run that is removed. */
  stop(runId: string): Promise<void>;
  /**
   * The lab's next run uses the pods of those that have ended: resolves when nothing more is fetched from them, with the record as it
   * is then. Rejects where the run is not to start any more.
   */
  keepPods(next: RunRecord): Promise<RunRecord>;
  /** Resolves when all have ended. */
  ended(): Promise<void>;
}

/** Whether its nodes may have a checkpoint that is to be fetched, and can be reached. */
export const hasCheckpoints = ({ state, ranks, lab }: RunRecord): boolean =>
  state !== 'lost' && lab.experiment.script === undefined && ranks.some(({ argv }) => argv.length > 0);

interface Fetching {
  readonly run: RunRecord;
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
    // Pods without a claim end with the run, as soon as nothing would be lost with them.
    if (areHome && !one.keepsPods && !signal.aborted) await services.launcher(one.run.lab).release?.();
  };
  return {
    bring(run) {
      const stop = new AbortController();
      const signal = AbortSignal.any([stop.signal, closing]);
      const one: Fetching = { run, stop, keepsPods: false, done: Promise.resolve() };
      fetching.set(run.id, one);
      one.done = fetch(one, signal)
        .catch((error: unknown) => {
          if (!isCancelled(error) && !signal.aborted) report(error);
        })
        .finally(() => fetching.delete(run.id));
    },
    async stop(runId) {
      const one = fetching.get(runId);
      one?.stop.abort();
      await one?.done;
    },
    async keepPods(next) {
      if (services.launcher(next.lab).release === undefined) return next;
      const ofLab = [...fetching.values()].filter(({ run }) => run.labId === next.labId);
      for (const one of ofLab) one.keepsPods = true;
      await Promise.all(ofLab.map(({ done }) => done));
      closing.throwIfAborted();
      return await stillWanted(services.store, next);
    },
    async ended() {
      await Promise.all([...fetching.values()].map(({ done }) => done));
    },
  };
}
