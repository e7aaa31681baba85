/**
 * Asks a cluster's controller about jobs: at most once every five seconds for all runs of a login together, as
 * administrators ask of users, and less often while it does not answer.
 */
import type { SshAccess } from '../../../../shared/lab/access.ts';
import type { Clock } from '../../../base/clock.ts';
import type { SshSession } from '../../../ssh/index.ts';
import { accountingCommand, isOver, parseJobs, queueCommand, type JobState } from './job-states.ts';

/** Milliseconds between two queries. */
export const queryEvery = 5000;
const queryAtMost = 60_000;
const queryTimeout = 20_000;
const maxAnswerBytes = 4 * 1024 * 1024;
/** Of jobs that neither the queue nor the accounting knows, asked about again so often before they count as gone. */
const maxMisses = 2;
const maxForgotten = 1000;

export interface SeenJob {
  /** `gone`: neither the queue nor the accounting knows it. Undefined: not known yet. */
  readonly job: JobState | 'gone' | undefined;
  /** When the controller last answered, by the clock's ticks; -Infinity before. */
  readonly at: number;
  /** It does not answer at present. */
  readonly silent: boolean;
}

export interface SlurmController {
  /** The newest known state; asks the controller where its turn has come. Rejects where the session breaks. */
  job(id: string, session: Pick<SshSession, 'exec'>, signal?: AbortSignal): Promise<SeenJob>;
  /** A job that was just submitted. */
  submitted(id: string): void;
}

/** One controller for each login, shared by all runs. */
export function createSlurmControllers(clock: Clock): (login: SshAccess) => SlurmController {
  const controllers = new Map<string, SlurmController>();
  return ({ user, host, port }) => {
    const key = `${user}@${host}:${port}`;
    const known = controllers.get(key) ?? createSlurmController(clock);
    controllers.set(key, known);
    return known;
  };
}

export function createSlurmController(clock: Clock): SlurmController {
  /** Of jobs that were asked about. */
  const wanted = new Set<string>();
  const seen = new Map<string, JobState>();
  const misses = new Map<string, number>();
  let answeredAt = -Infinity;
  let nextAt = -Infinity;
  let pause = queryEvery;
  let silent = false;
  let asking: Promise<void> | undefined;

  const ask = async (session: Pick<SshSession, 'exec'>, signal: AbortSignal | undefined): Promise<void> => {
    const lost = [...wanted].filter((id) => (misses.get(id) ?? 0) > 0);
    // In turns: a job that left the queue is looked up in the accounting instead.
    const isQueue = lost.length === 0 || [...misses.values()].every((count) => count >= maxMisses);
    const asked = clock.ticks();
    const { code, stdout } = await session.exec(
      isQueue ? queueCommand : accountingCommand(lost.slice(0, 100)),
      {
        signal,
        timeoutMs: queryTimeout,
        maxOutputBytes: maxAnswerBytes,
        brief: true,
      },
    );
    if (code !== 0) {
      silent = true;
      pause = Math.min(queryAtMost, pause * 2);
      nextAt = clock.ticks() + pause;
      return;
    }
    silent = false;
    pause = queryEvery;
    answeredAt = asked;
    const answer = parseJobs(stdout);
    for (const id of isQueue ? wanted : lost) {
      const job = answer.get(id);
      if (job !== undefined) {
        seen.set(id, job);
        misses.delete(id);
      } else if (!isOver(seen.get(id))) misses.set(id, (misses.get(id) ?? 0) + 1);
    }
  };
  return {
    submitted(id) {
      wanted.add(id);
      const oldest = wanted.values().next().value;
      if (wanted.size > maxForgotten && oldest !== undefined) {
        wanted.delete(oldest);
        seen.delete(oldest);
        misses.delete(oldest);
      }
    },
    async job(id, session, signal) {
      if (!wanted.has(id)) this.submitted(id);
      if (asking === undefined && clock.ticks() >= nextAt) {
        nextAt = clock.ticks() + pause;
        asking = ask(session, signal).finally(() => (asking = undefined));
      }
      await asking;
      const gone = (misses.get(id) ?? 0) >= maxMisses;
      return { job: gone ? 'gone' : seen.get(id), at: answeredAt, silent };
    },
  };
}
