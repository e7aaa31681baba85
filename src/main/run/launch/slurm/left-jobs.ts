/** Cancels jobs that Slurm may have of a run though nobody follows them: by their names, as their numbers may never have arrived. */
import { backOffMs } from '../../../../shared/base/back-off.ts';
import { isCancelled } from '../../../../shared/base/errors.ts';
import { withoutFilters } from '../../../../shared/node/slurm-variables.ts';
import { throwIfAborted } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { isRefusal, shellQuote, type SshSession } from '../../../ssh/index.ts';
import type { RunSettings } from '../../record/settings.ts';
import type { SlurmController } from './controller.ts';
import { commandFailed } from './submission.ts';
import { askedFile, cancelAsked, queuePatience, takeTurn, turnPatience } from './submission-turn.ts';

export interface LeftJobsOptions {
  /** For messages: the login node. */
  readonly cluster: string;
  readonly controller: Pick<SlurmController, 'commanded'>;
  readonly clock: Clock;
  readonly settings: Pick<RunSettings, 'reconnect' | 'reconnectRefused'>;
  /** To the login node, for as long as the app lives: the run itself may have ended. */
  session(signal?: AbortSignal): Promise<Pick<SshSession, 'exec'>>;
  /** Aborted where the app closes. */
  readonly closing: AbortSignal;
}

interface OfRun {
  /** Absolute. */
  readonly runFolder: string;
  readonly runId: string;
}

export interface LeftJobs {
  /** Tries until it is done or the app closes: the link to the login node may be down. Never rejects. */
  cancelLater(run: OfRun, attempt: number): Promise<void>;
  /**
   * Of all attempts.
   * @throws command_failed where Slurm does not answer
   */
  cancelAll(run: OfRun, signal?: AbortSignal): Promise<void>;
}

const timeoutMs = (turnPatience + queuePatience + 20) * 1000;

/** @param which a shell's condition on `$number`, the attempt; `:` for all */
const cancelScript = (
  { runFolder, runId }: OfRun,
  which: string,
): string => `cd ${shellQuote(runFolder)} 2>/dev/null || exit 0
ls ${askedFile('*')} >/dev/null 2>&1 || exit 0
${takeTurn}${withoutFilters}
${cancelAsked(runId, which)}`;

export function createLeftJobs(options: LeftJobsOptions): LeftJobs {
  const { cluster, controller, clock, settings, closing } = options;
  const cancel = async (run: OfRun, which: string, signal?: AbortSignal): Promise<void> => {
    const { exec } = await options.session(signal);
    controller.commanded();
    const result = await exec(cancelScript(run, which), { timeoutMs, signal });
    if (result.code !== 0) throw commandFailed(result, 'scancel', cluster);
  };
  return {
    async cancelLater(run, attempt) {
      for (let tries = 1; ; tries += 1) {
        try {
          throwIfAborted(closing);
          await cancel(run, `[ "$number" = ${attempt} ]`, closing);
          return;
        } catch (error) {
          if (closing.aborted || isCancelled(error)) return;
          // A refused login does not change by itself, and asks the user for something.
          const pause = isRefusal(error)
            ? settings.reconnectRefused
            : backOffMs(tries, settings.reconnect, clock.random());
          await clock.sleep(pause, closing).catch(() => undefined);
        }
      }
    },
    cancelAll: async (run, signal) => await cancel(run, ':', signal),
  };
}
