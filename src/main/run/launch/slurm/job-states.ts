/** Parses what Slurm says of jobs, and explains how they ended. Pure. */
import { RinglabError, toWireError, type WireError } from '../../../../shared/base/errors.ts';
import type { Phrase } from '../../../../shared/base/phrase.ts';
import type { RunJob } from '../../../../shared/run/run-job.ts';
import { phrase } from '../../../i18n/index.ts';
import { JobId } from './slurm-process.ts';

export interface JobState {
  readonly id: string;
  /** Slurm's long form: `PENDING`, `NODE_FAIL`. */
  readonly state: string;
  readonly reason: string;
  /** Unix seconds: when it started, or is expected to. */
  readonly start: number | undefined;
  readonly nodes: string;
}

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

/**
 * The user's jobs; the job's number, state, reason, start and nodes, divided by bars. The time as a number needs no time
 * zone. The same in every version from 20.11 on.
 */
export const queueCommand = `SLURM_TIME_FORMAT=%s squeue --noheader --user="$(id -un)" --states=all --format='%A|%T|%r|%S|%N'`;
/** Of jobs that the controller has forgotten: it keeps them for some minutes. Without accounting there is no answer. */
export const accountingCommand = (ids: readonly string[]): string =>
  `sacct --noheader --parsable2 --allocations --jobs=${ids.join(',')} --format=JobIDRaw,State,Reason,Start,NodeList 2>/dev/null || true`;

/** Lines of either command. Those that are none are left out. */
export function parseJobs(output: string): Map<string, JobState> {
  const jobs = new Map<string, JobState>();
  for (const line of output.split('\n')) {
    const [id = '', state = '', reason = '', start = '', nodes = ''] = line.trim().split('|');
    const word = /^[A-Z_]+/.exec(state)?.[0];
    // The first line of a heterogeneous job is its first part's, which runs the script.
    if (word === undefined || !JobId.safeParse(id).success || jobs.has(id)) continue;
    const seconds = /^\d{9,11}$/.test(start) ? Number(start) : undefined;
    const hasNone = reason === 'None' || reason === '(null)';
    jobs.set(id, {
      id,
      state: word.slice(0, 40),
      reason: hasNone ? '' : reason.slice(0, 200),
      start: seconds,
      nodes: nodes === '(null)' || nodes === 'None assigned' ? '' : nodes.slice(0, 1000),
    });
  }
  return jobs;
}

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

/** @param said the last lines of the job's own output */
export function endedFault(job: JobState, cluster: string, said: string): WireError {
  const reason = takenAway(job) ?? phrase('reasons.job.noRanks', { state: job.state });
  const error = new RinglabError('job_ended', { job: job.id, reason }, { where: cluster, detail: said });
  return toWireError(error);
}
