/** What a rank of a job is doing, from its files on the shared folder and from what the controller says. Pure. */
import type { StartedProcess } from '../../../../shared/run/run.ts';
import type { Exit, Sight } from '../../record/launcher.ts';
import type { SeenJob } from './controller.ts';
import type { JobState } from './job-answers.ts';
import { endedFault, isOver, runJobOf, takenAway } from './job-states.ts';
import { jobOf } from './slurm-process.ts';

export interface RankFiles {
  /** Since when its process is known to run, by the clock's ticks. A job that starts again removes its file first. */
  readonly startedAt: number | undefined;
  /** How this attempt's process ended, if it wrote so. */
  readonly exit: Exit | undefined;
  /** Milliseconds by the clock's ticks since when its end has been seen; undefined while it has none. */
  readonly endedAt: number | undefined;
}

export interface JobAnswer {
  readonly process: StartedProcess;
  readonly seen: SeenJob;
  /** When the job was first seen to be over, by the clock's ticks. */
  readonly overAt: number | undefined;
  readonly now: number;
  /** For messages: the login node. */
  readonly cluster: string;
  /** The last lines of the job's own output; undefined where it left none in the run's folder. */
  readonly said: string | undefined;
  /** Since when, by the clock's ticks, every rank that was looked at has left an exit code; undefined while one has not. */
  readonly allEndedAt: number | undefined;
  /**
   * Of an own script, whose exit codes do not say that a rank lost its peers: until when, by the clock's ticks, all nodes on which ranks
   * still run have been heard of. Undefined for the trainer.
   */
  readonly heardUntil: number | undefined;
  /** Before the time limit the ranks stop, and the job starts again. */
  readonly requeues: boolean;
  /** Before it does, all that its nodes wrote is copied to the login node. */
  readonly copies: boolean;
}

/** Milliseconds until a file that a compute node wrote is visible on the login node: network file systems cache. */
const filePatience = 15_000;
/** The same where the job ended well, so that the file must come: NFS may trust for a minute that it is not there (nfs(5), `acdirmax`). */
const endPatience = 65_000;
/** The trainer's exit code where it lost its peers. */
const peerLost = 4;
/** A rank that was asked to stop: by the trainer's exit code, or as a script ends by the signal. */
const wasAsked = ({ code, signal }: Exit): boolean => code === 7 || code === 143 || signal === 15;
/** How long the reason of a failure is waited for; the controller is silent where it has not answered for so long. */
const reasonPatience = 60_000;
/**
 * How long Slurm may take to call a node without power down, and to end or requeue its job: `SlurmdTimeout`, 5 minutes by default and 10 on
 * some clusters, and a ping more. A job that is cancelled before is not requeued.
 */
const nodePatience = 15 * 60_000;
/** How long a job may take until what its nodes wrote is copied; see `slurm-staging.ts`. */
const copyPatience = 30 * 60_000;

export function rankSight({ startedAt, exit, endedAt }: RankFiles, answer: JobAnswer): Sight {
  const { process, seen, now } = answer;
  const job = seen.job === 'gone' ? undefined : seen.job;
  if (exit !== undefined) {
    if (exit.code === 0) return { state: 'exited', exit, process };
    // Slurm has requeued it by itself, and lets it wait for minutes: how its ranks ended no longer counts.
    if (answer.requeues && job !== undefined && runJobOf(job).waits) return alive(answer, job);
    const allEnded = answer.allEndedAt !== undefined;
    // Slurm signals ranks before it ends them: only its answer tells a stop from a time limit.
    const answered = seen.at >= (endedAt ?? now) || seen.job === 'gone';
    const mayRestart =
      answer.requeues && job !== undefined && !isOver(job) && (wasAsked(exit) || runJobOf(job).waits);
    // A rank whose peer is gone without an exit code is a consequence, of which the scheduler knows the cause; or it is known
    // when the peer's file does not come.
    const mayCome = job !== undefined && (!isOver(job) || now - (answer.overAt ?? now) < filePatience);
    const isTaken = job !== undefined && takenAway(job) !== undefined;
    // What a node wrote before it was lost may be seen a little later than how the others ended.
    const isSilent = answer.heardUntil !== undefined && answer.heardUntil < (endedAt ?? now) + filePatience;
    const lostPeer = answer.heardUntil === undefined ? exit.code === peerLost : answer.requeues && isSilent;
    const peerMissing = lostPeer && !allEnded && mayCome && !isTaken;
    const knows = answered && !mayRestart && !peerMissing;
    const isAnswered = now - seen.at < reasonPatience;
    const mayBeDown = peerMissing && isAnswered && !isOver(job);
    // One that was asked may have saved long before the others: the job starts again when the last has.
    const othersSave = mayRestart && !allEnded;
    const longPatience = mayBeDown || othersSave ? nodePatience : reasonPatience;
    const patience = mayRestart && answer.copies ? copyPatience : longPatience;
    const since = mayRestart ? Math.max(endedAt ?? now, answer.allEndedAt ?? 0) : (endedAt ?? now);
    if (!knows && now - since < patience) return alive(answer, job);
    if (job !== undefined && isTaken)
      return { state: 'revoked', process, fault: endedFault(job, answer.cluster, answer.said) };
    return { state: 'exited', exit, process };
  }
  if (seen.job === 'gone') return { state: 'vanished', process };
  if (job === undefined || !isOver(job)) return alive(answer, job, startedAt);
  const patience = job.state === 'COMPLETED' ? endPatience : filePatience;
  if (now - (answer.overAt ?? now) < patience) return alive(answer, undefined);
  return { state: 'revoked', process, fault: endedFault(job, answer.cluster, answer.said) };
}

/** A rank that runs is known before the controller is asked again, or for the first time. */
function alive({ process, seen }: JobAnswer, job: JobState | undefined, startedAt = -Infinity): Sight {
  if (seen.job === undefined && startedAt > -Infinity)
    return { state: 'alive', process, job: { id: jobOf(process), state: 'RUNNING', waits: false } };
  if (job === undefined || isOver(job)) return { state: 'alive', process };
  const known = runJobOf(job);
  const runs = known.waits && seen.at < startedAt;
  return {
    state: 'alive',
    process,
    job: runs ? { id: known.id, state: 'RUNNING', waits: false } : known,
  };
}
