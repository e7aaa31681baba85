/** What the states of Slurm's jobs mean, and how jobs ended. Pure. */
import { RinglabError, toWireError, type WireError } from '../../../../shared/base/errors.ts';
import type { Phrase } from '../../../../shared/base/phrase.ts';
import { unseenMark } from '../../../../shared/lab/slurm-script.ts';
import { notCopiedMark } from '../../../../shared/lab/slurm/slurm-staging.ts';
import type { RunJob } from '../../../../shared/run/run-job.ts';
import { phrase } from '../../../i18n/index.ts';
import type { JobState } from './job-answers.ts';

/** Waiting, and starting: nothing of it runs yet. */
const waitingStates: ReadonlySet<string> = new Set([
  ...['PENDING', 'CONFIGURING', 'REQUEUED', 'REQUEUE_FED', 'REQUEUE_HOLD', 'RESV_DEL_HOLD', 'SPECIAL_EXIT'],
]);
const activeStates: ReadonlySet<string> = new Set([
  ...['RUNNING', 'COMPLETING', 'SIGNALING', 'STAGE_OUT', 'SUSPENDED', 'STOPPED', 'RESIZING'],
]);

const isWaiting = ({ state }: Pick<JobState, 'state'>): boolean => waitingStates.has(state);
export const isOver = (job: Pick<JobState, 'state'> | undefined): boolean =>
  job !== undefined && !waitingStates.has(job.state) && !activeStates.has(job.state);

export function runJobOf(job: JobState): RunJob {
  const waits = isWaiting(job);
  return {
    id: job.id,
    state: job.state,
    waits,
    ...(job.reason === '' ? {} : { reason: job.reason }),
    ...(waits && job.start !== undefined ? { expectedStart: job.start } : {}),
    ...(job.nodes === '' ? {} : { nodes: job.nodes }),
  };
}

/** What took the nodes away from the ranks; undefined where they ended by themselves. */
export function takenAway({ state, reason }: Pick<JobState, 'state' | 'reason'>): Phrase | undefined {
  switch (state) {
    case 'TIMEOUT':
    case 'DEADLINE':
      return phrase('reasons.job.timeLimit');
    case 'NODE_FAIL':
    case 'BOOT_FAIL':
    case 'LAUNCH_FAILED':
    case 'RECONFIG_FAIL':
      return phrase('reasons.job.nodeFailed');
    case 'PREEMPTED':
      return phrase('reasons.job.preempted');
    case 'CANCELLED':
    case 'REVOKED':
      return phrase('reasons.job.cancelled');
    case 'OUT_OF_MEMORY':
      return phrase('reasons.job.outOfMemory');
    default:
      // While its processes still end.
      return reason === 'TimeLimit' ? phrase('reasons.job.timeLimit') : undefined;
  }
}

/** @param said the last lines of the job's own output; undefined where it left no file in the run's folder */
export function endedFault(job: JobState, cluster: string, said: string | undefined): WireError {
  const reason =
    notCopied(said ?? '') ??
    takenAway(job) ??
    notShared(job, said ?? '', said === undefined) ??
    phrase('reasons.job.noRanks', { state: job.state });
  const error = new RinglabError('job_ended', { job: job.id, reason }, { where: cluster, detail: said });
  return toWireError(error);
}

/** Where the run's files could not be copied to the compute nodes: the job was cancelled for it. */
function notCopied(said: string): Phrase | undefined {
  const last = new RegExp(`^${notCopiedMark} (.{1,300})$`, 'm').exec(said)?.[1];
  return last === undefined ? undefined : phrase('reasons.job.notCopied', { reason: last });
}

/** Compute nodes that do not have the run's folder: one says so itself, or the whole job leaves no trace here. */
function notShared({ nodes }: JobState, said: string, isTraceless: boolean): Phrase | undefined {
  const [, node, folder] = new RegExp(`^${unseenMark} (\\S{1,200}) (.{1,1000})$`, 'm').exec(said) ?? [];
  if (node !== undefined && folder !== undefined) return phrase('reasons.job.notSharedOn', { node, folder });
  return isTraceless && nodes !== '' ? phrase('reasons.job.notShared') : undefined;
}
