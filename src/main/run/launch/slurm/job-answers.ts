/** What is asked of Slurm about jobs, and what it answers: as JSON, or as lines. Pure. */
import * as z from 'zod';
import { withoutFilters } from '../../../../shared/node/slurm-variables.ts';
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

/** `json`: where this version has it for the asked jobs alone; lines otherwise. */
export type AnswerForm = 'json' | 'lines';

/**
 * Before 23.02 `squeue --json` ignores every filter (squeue(1)): it prints the jobs of all users, some kilobytes each.
 * The version is asked of the program, not of the controller.
 */
const choose = (program: string, json: string, lines: string): string =>
  `case "$(${program} --version 2>/dev/null)" in
*' '2[3-9].*|*' '[3-9][0-9].*) ${json} ;;
*) ${lines} ;;
esac`;

/**
 * Without it `squeue` shows no job of a partition that is hidden, or closed to the user's group: the run would seem to have
 * ended, and a second job would be submitted.
 */
export const inAllPartitions = '--all';
/** The time as a number needs no time zone. The same in every version from 20.11 on. */
const queueLines = `SLURM_TIME_FORMAT=%s squeue --noheader ${inAllPartitions} --user="$(id -un)" --states=all --format='%A|%T|%r|%S|%N'`;
const queueJson = `squeue --json ${inAllPartitions} --user="$(id -un)" --states=all`;

/** The user's jobs. */
export const queueCommand = (form: AnswerForm): string =>
  `${withoutFilters}\n${form === 'json' ? choose('squeue', queueJson, queueLines) : queueLines}`;

/** Of jobs that the controller has forgotten: it keeps them for some minutes. Without accounting there is no answer. */
export function accountingCommand(ids: readonly string[], form: AnswerForm): string {
  const jobs = `--allocations --jobs=${ids.join(',')}`;
  const lines = `sacct --noheader --parsable2 ${jobs} --format=JobIDRaw,State,Reason,Start,NodeList 2>/dev/null || true`;
  const json = `sacct --json ${jobs} 2>/dev/null || true`;
  return `${withoutFilters}\n${form === 'json' ? choose('sacct', json, lines) : lines}`;
}

/** A program without its plugin for JSON says so before it asks anybody. */
export const lacksJson = (stderr: string): boolean =>
  /serializer|data_parser|plugin|unrecognized/i.test(stderr);

/**
 * By number. Undefined where a JSON answer is cut short, or names errors; of lines, those that are no job are left out. A site's own
 * program may print a notice before or after.
 */
export function parseJobs(output: string): Map<string, JobState> | undefined {
  const from = output.search(/^\s*\{/m);
  if (from < 0) return jobsOfLines(output);
  const to = output.lastIndexOf('}') + 1;
  return jobsOfJson(output.slice(from, to));
}

function jobsOfLines(output: string): Map<string, JobState> {
  const jobs = new Map<string, JobState>();
  for (const line of output.split('\n')) {
    const [id = '', state = '', reason = '', start = '', nodes = ''] = line.trim().split('|');
    const word = /^[A-Z_]+/.exec(state)?.[0];
    // The first line of a heterogeneous job is its first part's, which runs the script.
    if (word === undefined || !JobId.safeParse(id).success || jobs.has(id)) continue;
    const seconds = /^\d{9,11}$/.test(start) ? Number(start) : undefined;
    jobs.set(id, jobOf(id, { state: word, reason, start: seconds, nodes }));
  }
  return jobs;
}

const emptyWords: ReadonlySet<string> = new Set(['None', '(null)', 'None assigned']);
const wordOr = (text: string, max: number): string => (emptyWords.has(text) ? '' : text.slice(0, max));

const jobOf = (id: string, { state, reason, start, nodes }: Omit<JobState, 'id'>): JobState => ({
  id,
  state: state.slice(0, 40),
  reason: wordOr(reason, 200),
  start,
  nodes: wordOr(nodes, 1000),
});

/** A number; since 23.02 with whether it is one. */
const Count = z.union([
  z.number(),
  z
    .object({ set: z.boolean().optional(), infinite: z.boolean().optional(), number: z.number() })
    .transform(({ set, infinite, number }) => (set === false || infinite === true ? undefined : number)),
]);
const Seconds = Count.optional()
  .catch(undefined)
  .transform((seconds) => (seconds === undefined || seconds < 1e8 || seconds > 1e11 ? undefined : seconds));
const JobNumber = z.number().int().positive().transform(String);
/** One word; since 23.11 a list: the base state and flags. */
const States = z.union([z.string().transform((word) => [word]), z.array(z.string()).min(1).max(20)]);
const Word = z.string().catch('');

const QueuedJob = z
  .object({ job_id: JobNumber, job_state: States, state_reason: Word, start_time: Seconds, nodes: Word })
  .transform((job) => ({
    ...job,
    id: job.job_id,
    states: job.job_state,
    reason: job.state_reason,
    start: job.start_time,
  }));
const RecordedJob = z
  .object({
    job_id: JobNumber,
    state: z.object({ current: States, reason: Word }),
    time: z.object({ start: Seconds }),
    nodes: Word,
  })
  .transform((job) => ({
    ...{ id: job.job_id, states: job.state.current, reason: job.state.reason },
    ...{ start: job.time.start, nodes: job.nodes },
  }));
const Job = z.union([QueuedJob, RecordedJob]);
const Answer = z.object({
  jobs: z.array(z.unknown()).max(100_000),
  // Beside them there are no jobs, or not all of them, whatever the exit code.
  errors: z.array(z.unknown()).max(0).optional(),
});

/** Flags that `squeue` shows in place of the base state (`job_state_string` of Slurm). */
const flags: ReadonlySet<string> = new Set([
  ...['COMPLETING', 'STAGE_OUT', 'CONFIGURING', 'RESIZING', 'REQUEUED', 'REQUEUE_FED', 'REQUEUE_HOLD'],
  ...['SPECIAL_EXIT', 'STOPPED', 'REVOKED', 'RESV_DEL_HOLD', 'SIGNALING'],
]);

function jobsOfJson(text: string): Map<string, JobState> | undefined {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return undefined;
  }
  const answer = Answer.safeParse(given);
  if (!answer.success) return undefined;
  const jobs = new Map<string, JobState>();
  for (const one of answer.data.jobs) {
    const { data: job } = Job.safeParse(one);
    if (job === undefined || jobs.has(job.id)) continue;
    const state = job.states.find((word) => flags.has(word)) ?? job.states[0] ?? '';
    if (!/^[A-Z_]+$/.test(state)) continue;
    jobs.set(job.id, jobOf(job.id, { state, reason: job.reason, start: job.start, nodes: job.nodes }));
  }
  return jobs;
}
