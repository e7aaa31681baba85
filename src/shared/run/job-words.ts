/** What a scheduler says of a run's job, in the user's words: why it waits and what helps, or where it runs. */
import type { Language } from '../base/language.ts';
import { asOneLine } from '../base/plain-text.ts';
import { say } from '../i18n/say.ts';
import type { RunJob } from './run-job.ts';

const known = [
  ...([
    'Resources',
    'Priority',
    'BeginTime',
    'Dependency',
    'JobHeldUser',
    'JobHeldAdmin',
    'PartitionDown',
  ] as const),
  ...(['PartitionTimeLimit', 'PartitionNodeLimit', 'ReqNodeNotAvail', 'NodeDown'] as const),
  ...(['BadConstraints', 'Licenses', 'Reservation', 'DependencyNeverSatisfied'] as const),
  // Kubernetes'.
  ...(['Unschedulable', 'SchedulingGated', 'Suspended', 'ImagePull', 'ContainerCreating'] as const),
  ...(['FailedMount', 'FailedCreate', 'Restarting', 'NoPods'] as const),
] as const;
type Known = (typeof known)[number];
const isKnown = (word: string): word is Known => (known as readonly string[]).includes(word);

/** Jobs that Slurm started again and does not let start. */
const heldStates: ReadonlySet<string> = new Set(['REQUEUE_HOLD', 'SPECIAL_EXIT']);
const heldReasons =
  /^(JobHoldMaxRequeue|job[ _]requeued[ _]in[ _](held|special[ _]exit)[ _]state|user[ _]env[ _]retrieval[ _]failed)/i;

/**
 * Limits of an account or QOS that the end of other jobs does not lift (`job_reason_string` of Slurm). `RunMinutes` are those that running
 * jobs may still take: they become fewer.
 */
const limits = [
  [/^QOSMin/, 'tooSmall'],
  [/^(QOS|Assoc).*(PerJob|PerNode|WallDuration)/, 'perJob'],
  [/^(QOS|Assoc)(?!.*RunMinutes).*(Minutes|GrpWall|UsageThreshold)/, 'budget'],
] as const;

/** A reason may go on after its word: `ReqNodeNotAvail, UnavailableNodes:node2`, `Unschedulable: 0/3 nodes are available`. */
function why(
  { id: job, state, reason = heldStates.has(state) ? state : undefined }: RunJob,
  language: Language,
): string {
  if (reason === undefined) return say(language, 'jobs.reasons.submitted');
  const shown = asOneLine(reason);
  const [word = ''] = shown.split(/[,\s(:]/, 1);
  if (isKnown(word)) {
    const rest = shown.slice(word.length).replace(/^[,\s:]+/, '');
    return say(language, `jobs.reasons.${word}`, { job, said: rest === '' ? word : rest });
  }
  // Slurm writes these with spaces or underscores, by its version.
  if (/^launch[ _]failed/i.test(shown))
    return say(language, 'jobs.reasons.launchFailed', { job, reason: shown });
  if (heldStates.has(state) || heldReasons.test(shown))
    return say(language, 'jobs.reasons.held', { job, reason: shown });
  if (/^(Invalid(QOS|Account)|QOSNotAllowed|AccountNotAllowed)/.test(word))
    return say(language, 'jobs.reasons.bad', { reason: shown });
  const limit = limits.find(([pattern]) => pattern.test(word))?.[1];
  if (limit !== undefined) return say(language, `jobs.reasons.${limit}`, { reason: shown });
  if (/^(QOS|Assoc|MaxJobs)/.test(word)) return say(language, 'jobs.reasons.quota', { reason: shown });
  return say(language, 'jobs.reasons.other', { reason: shown });
}

/**
 * Undefined where there is nothing to say.
 * @param time formats Unix seconds
 */
export function jobWords(
  job: RunJob,
  language: Language,
  time: (seconds: number) => string,
): string | undefined {
  const { id, state, waits, expectedStart, nodes } = job;
  if (state === 'SUSPENDED' && !waits) return say(language, 'jobs.suspended', { job: id });
  if (!waits) return nodes === undefined ? undefined : say(language, 'jobs.runs', { job: id, nodes });
  if (expectedStart === undefined) return say(language, 'jobs.waits', { job: id, why: why(job, language) });
  const at = time(expectedStart);
  return say(language, 'jobs.expected', { job: id, why: why(job, language), time: at });
}
