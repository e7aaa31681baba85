/**
 * Asks a cluster's controller: at most once every five seconds for all runs of a login together, as administrators ask of
 * users, and less often while it does not answer. Submitting and cancelling are not delayed, but count.
 */
import { RinglabError } from '../../../../shared/base/errors.ts';
import { jumpHosts, type JumpName, type SshAccess } from '../../../../shared/lab/access.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ExecResult, SshSession } from '../../../ssh/index.ts';
import {
  accountingCommand,
  lacksJson,
  parseJobs,
  queueCommand,
  type AnswerForm,
  type JobState,
} from './job-answers.ts';
import { isOver } from './job-states.ts';

/** Milliseconds between two queries. */
export const queryEvery = 5000;
const maxQueryPause = 60_000;
const queryTimeout = 20_000;
const maxAnswerBytes = 4 * 1024 * 1024;
/** Bytes: an answer may be cut inside of a character, whose rest goes. */
const longestCharacter = 4;
/** Answers of the queue in a row without a job before it counts as gone: one may be incomplete, as while a controller starts. */
const maxMisses = 3;
const maxForgotten = 1000;

export interface SeenJob {
  /** `gone`: the queue does not have it any more, and the accounting does not say how it ended. Undefined: not known yet. */
  readonly job: JobState | 'gone' | undefined;
  /** When the controller last answered, by the clock's ticks; -Infinity before. */
  readonly at: number;
  /** It does not answer at present. */
  readonly silent: boolean;
}

export interface SlurmController {
  /** The newest known state; asks the controller where its turn has come. Rejects where the session breaks. */
  job(id: string, session: Pick<SshSession, 'exec'>, signal?: AbortSignal): Promise<SeenJob>;
  /** A job that was just submitted: the next query comes five seconds later. */
  submitted(id: string): void;
  /** A command for the controller was sent in between: the next query comes five seconds after the first of them. */
  commanded(): void;
  /** Waits for its turn, before any query about jobs, and asks. */
  query<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Slurm's commands try for longer than `queryTimeout` where a site wants it: the controller is away, not the login node. */
function unanswered(error: unknown): Pick<ExecResult, 'code' | 'stdout' | 'stderr'> {
  if (error instanceof RinglabError && error.code === 'command_timeout')
    return { code: null, stdout: '', stderr: '' };
  throw error;
}

/** One controller for each cluster, shared by all runs: behind different jump hosts a private address is not the same machine. */
export type SlurmControllers = (login: SshAccess) => SlurmController;

export function createSlurmControllers(clock: Clock): SlurmControllers {
  const controllers = new Map<string, SlurmController>();
  return ({ user, host, port, jump }) => {
    // How a jump host is logged in to does not change where it leads.
    const key = JSON.stringify([...jumpHosts<JumpName>({ jump }), { user, host, port }].map(nameOf));
    const known = controllers.get(key) ?? createSlurmController(clock);
    controllers.set(key, known);
    return known;
  };
}

const nameOf = ({ user, host, port }: JumpName): readonly (string | number)[] => [user, host, port];

export function createSlurmController(clock: Clock): SlurmController {
  /** Of jobs that were asked about. */
  const wanted = new Set<string>();
  const seen = new Map<string, JobState>();
  const misses = new Map<string, number>();
  let answeredAt = -Infinity;
  let nextAt = -Infinity;
  let pause = queryEvery;
  let silent = false;
  /** A command has delayed the next query. */
  let isDelayed = false;
  let form: AnswerForm = 'json';
  /** The last query was about the queue. */
  let wasQueue = false;
  let asking: Promise<void> | undefined;
  /** Other queries that wait for their turn. */
  let others = 0;

  const ask = async (session: Pick<SshSession, 'exec'>, signal: AbortSignal | undefined): Promise<void> => {
    const lost = [...wanted].filter((id) => {
      const count = misses.get(id) ?? 0;
      return count > 0 && count < maxMisses;
    });
    // In turns: a job that left the queue is looked up in the accounting, too.
    const isQueue = lost.length === 0 || !wasQueue;
    wasQueue = isQueue;
    const asked = clock.ticks();
    const command = isQueue ? queueCommand(form) : accountingCommand(lost.slice(0, 100), form);
    const limits = { signal, timeoutMs: queryTimeout, maxOutputBytes: maxAnswerBytes, brief: true };
    const { code, stdout, stderr } = await session.exec(command, limits).catch(unanswered);
    if (code !== 0 && form === 'json' && lacksJson(stderr)) {
      form = 'lines';
      return;
    }
    // Its database is another machine's.
    if (code !== 0 && !isQueue) return;
    if (code !== 0) {
      silent = true;
      pause = Math.min(maxQueryPause, pause * 2);
      nextAt = clock.ticks() + pause;
      return;
    }
    // Of a longer answer only the end is kept, which is no JSON any more: lines are shorter.
    const isCut = Buffer.byteLength(stdout) >= maxAnswerBytes - longestCharacter;
    const answer = isCut && form === 'json' ? undefined : parseJobs(stdout);
    if (answer === undefined) {
      form = 'lines';
      return;
    }
    silent = false;
    pause = queryEvery;
    // Without accounting the other program says nothing of any job.
    if (isQueue) answeredAt = asked;
    for (const id of isQueue ? wanted : lost) {
      const job = answer.get(id);
      // The accounting may be off or behind: it says how a job ended, and nothing else.
      if (job !== undefined && (isQueue || isOver(job))) {
        seen.set(id, job);
        misses.delete(id);
      } else if (isQueue && !isCut && !isOver(seen.get(id))) misses.set(id, (misses.get(id) ?? 0) + 1);
    }
  };
  const want = (id: string): void => {
    wanted.add(id);
    const oldest = wanted.values().next().value;
    if (wanted.size > maxForgotten && oldest !== undefined) {
      wanted.delete(oldest);
      seen.delete(oldest);
      misses.delete(oldest);
    }
  };
  /** Once between two queries: a job that does not end is signalled again and again, and must still be asked about. */
  const commanded = (): void => {
    if (isDelayed) return;
    isDelayed = true;
    nextAt = Math.max(nextAt, clock.ticks() + queryEvery);
  };
  const takeTurn = (milliseconds: number): void => {
    isDelayed = false;
    nextAt = clock.ticks() + milliseconds;
  };
  return {
    commanded,
    submitted(id) {
      want(id);
      commanded();
    },
    async job(id, session, signal) {
      if (!wanted.has(id)) want(id);
      if (asking === undefined && others === 0 && clock.ticks() >= nextAt) {
        takeTurn(pause);
        asking = ask(session, signal).finally(() => (asking = undefined));
      }
      await asking;
      const gone = (misses.get(id) ?? 0) >= maxMisses;
      return { job: gone ? 'gone' : seen.get(id), at: answeredAt, silent };
    },
    async query(send, signal) {
      others += 1;
      try {
        while (clock.ticks() < nextAt) await clock.sleep(nextAt - clock.ticks(), signal);
        takeTurn(queryEvery);
      } finally {
        others -= 1;
      }
      return await send();
    },
  };
}
