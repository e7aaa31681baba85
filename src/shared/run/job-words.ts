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

/** A reason may go on after its word: `ReqNodeNotAvail, UnavailableNodes:node2`, `Unschedulable: 0/3 nodes are available`. */
function why({ id: job, reason }: RunJob, language: Language): string {
  if (reason === undefined) return say(language, 'jobs.reasons.submitted');
  const shown = asOneLine(reason);
  const [word = ''] = shown.split(/[,\s(:]/, 1);
  if (isKnown(word)) {
    const rest = shown.slice(word.length).replace(/^[,\s:]+/, '');
    return say(language, `jobs.reasons.${word}`, { job, said: rest === '' ? word : rest });
  }
  // The only reasons of several words that ask for an act of the user.
  if (/^launch failed/i.test(shown))
    return say(language, 'jobs.reasons.launchFailed', { job, reason: shown });
  if (/^(Invalid(QOS|Account)|QOSNotAllowed|AccountNotAllowed)/.test(word))
    return say(language, 'jobs.reasons.bad', { reason: shown });
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
  const { id, waits, expectedStart, nodes } = job;
  if (!waits) return nodes === undefined ? undefined : say(language, 'jobs.runs', { job: id, nodes });
  if (expectedStart === undefined) return say(language, 'jobs.waits', { job: id, why: why(job, language) });
  const at = time(expectedStart);
  return say(language, 'jobs.expected', { job: id, why: why(job, language), time: at });
}
