/** What a rank in a pod is doing, from its files on the claim and from what the cluster says of job and pods. Pure. */
import { RinglabError, toWireError, type WireError } from '../../../../shared/base/errors.ts';
import type { Phrase } from '../../../../shared/base/phrase.ts';
import type { PodPlace } from '../../../../shared/lab/kubernetes-job.ts';
import type { RunJob } from '../../../../shared/run/run-job.ts';
import type { StartedProcess } from '../../../../shared/run/run.ts';
import { phrase } from '../../../i18n/index.ts';
import { lossOf, type SeenEvent, type SeenJob, type SeenPod, type Why } from '../../../kubernetes/index.ts';
import type { Exit, Sight } from '../../record/launcher.ts';

export interface RunObjects {
  readonly pods: readonly SeenPod[];
  readonly jobs: readonly SeenJob[];
  readonly events: readonly SeenEvent[];
}

export interface PodAnswer {
  readonly process: StartedProcess;
  /** The first job's name, for messages. */
  readonly job: string;
  readonly cluster: string;
  readonly seen: RunObjects;
  /** All places of the run. */
  readonly places: readonly PodPlace[];
  /** When the job was first seen to be over or gone, by the clock's ticks; undefined while it is active. */
  readonly overAt: number | undefined;
  readonly now: number;
  /** The job was deleted by us, to stop the run. */
  readonly asked: boolean;
}

/** Milliseconds until a file that a pod wrote is visible in the access pod: network file systems cache. */
const filePatience = 15_000;
const longestReason = 1000;

const imageReasons: ReadonlySet<string> = new Set([
  ...['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull', 'ImageInspectError'],
]);
const startingReasons: ReadonlySet<string> = new Set(['Pending', 'ContainerCreating', 'PodInitializing', '']);

/** The newest first: a pod that was taken away is kept beside the one in its place. */
const podsAt = ({ pods }: RunObjects, { job, index }: PodPlace): SeenPod[] =>
  pods
    .filter((pod) => pod.job === job && pod.index === index)
    .toSorted((a, b) => b.created.localeCompare(a.created) || Number(a.isDeleting) - Number(b.isDeleting));

/** The newest at a place that has run: one that was replaced hours ago says nothing of the job's end. */
const lastPod = (seen: RunObjects, place: PodPlace): SeenPod | undefined => {
  const [pod, ...before] = podsAt(seen, place);
  const hasRun = pod?.runs === true || pod?.exit !== undefined || pod?.disrupted !== undefined;
  return hasRun || pod?.phase === 'Failed' ? pod : (before[0] ?? pod);
};

export const jobState = ({ jobs, pods }: RunObjects): SeenJob['state'] | 'gone' =>
  jobs.length === 0
    ? pods.some(({ phase }) => phase === 'Running' || phase === 'Pending')
      ? 'active'
      : 'gone'
    : jobs.some(({ state }) => state === 'failed')
      ? 'failed'
      : jobs.every(({ state }) => state === 'complete')
        ? 'complete'
        : 'active';

/**
 * Pods whose ranks have failed, but that run on, since the namespace adds a container of its own. The job counts them once they are
 * gone, by the ranks' exit code: it starts them again, or fails. One whose ranks ended well would be started again.
 */
export const keptPods = (seen: RunObjects): SeenPod[] =>
  jobState(seen) === 'active'
    ? seen.pods.filter(
        ({ exit, phase, isDeleting }) => phase === 'Running' && !isDeleting && (exit?.code ?? 0) !== 0,
      )
    : [];

const said = ({ reason, message }: Why): string =>
  [reason, message]
    .filter((part) => part !== '')
    .join(': ')
    .slice(0, longestReason);

/** Why a pod does not run yet: one word of those that `job-words` explains, and the cluster's own after a colon. */
function waitingFor(pod: SeenPod, { events }: RunObjects): string {
  const why = pod.waits ?? { reason: '', message: '' };
  if (imageReasons.has(why.reason)) return `ImagePull: ${said(why)}`.slice(0, longestReason);
  if (!startingReasons.has(why.reason)) return said(why);
  const warning = events.findLast(({ about }) => about === pod.name);
  return warning === undefined ? 'ContainerCreating' : said(warning);
}

/** What the window shows of the job. */
export function runJob({ job, seen, places }: Pick<PodAnswer, 'job' | 'seen' | 'places'>): RunJob {
  const machines = [...new Set(seen.pods.flatMap(({ node }) => node ?? []))].toSorted().join(', ');
  const named = { id: job, ...(machines === '' ? {} : { nodes: machines.slice(0, 1000) }) };
  const suspended = seen.jobs.some(({ isSuspended }) => isSuspended);
  const waits = (reason: string): RunJob => ({ ...named, state: 'Pending', waits: true, reason });
  for (const place of places) {
    const [pod, before] = podsAt(seen, place);
    if (pod === undefined) {
      if (suspended) return waits('Suspended');
      const refused = seen.events.findLast(({ about }) => about === place.job);
      return waits(refused === undefined ? 'NoPods' : said(refused));
    }
    // Its machine may be lost: then its containers are said to run for ever.
    if (pod.isDeleting && pod.disrupted !== undefined && pod.exit === undefined && seen.jobs.length > 0)
      return waits(`Restarting: ${said(pod.disrupted)}`.slice(0, longestReason));
    if (pod.runs || pod.exit !== undefined || pod.phase === 'Succeeded' || pod.phase === 'Failed') continue;
    if (before?.disrupted !== undefined && startingReasons.has(pod.waits?.reason ?? ''))
      return waits(`Restarting: ${said(before.disrupted)}`.slice(0, longestReason));
    return waits(waitingFor(pod, seen));
  }
  return { ...named, state: 'Running', waits: false };
}

/** What took the pods away from the ranks. */
function endedFault({ job, cluster, seen, places }: PodAnswer): WireError {
  const last = places.flatMap((place) => lastPod(seen, place) ?? []);
  const reason = takenAway(seen, last) ?? phrase('reasons.kubernetes.noRanks', { state: stateWord(seen) });
  // What somebody deleted does not start again by itself.
  const isTaken = jobState(seen) !== 'gone' && last.some(({ disrupted }) => disrupted !== undefined);
  const code = isTaken ? 'pods_taken' : 'pods_ended';
  return toWireError(new RinglabError(code, { job, reason }, { where: cluster, detail: detailOf(seen) }));
}

const takenAway = (seen: RunObjects, pods: readonly SeenPod[]): Phrase | undefined =>
  lossOf(pods) ?? (jobState(seen) === 'gone' ? phrase('reasons.kubernetes.deleted') : undefined);

const stateWord = ({ jobs }: RunObjects): string => {
  const why = jobs.find((job) => job.why !== undefined)?.why;
  return why === undefined ? 'Complete' : said(why).slice(0, 300);
};

const detailOf = ({ pods, jobs }: RunObjects): string =>
  [
    ...jobs.map(({ name, state, why }) => `job ${name}: ${state} ${why === undefined ? '' : said(why)}`),
    ...pods.map(({ name, phase, exit, disrupted }) =>
      [
        `pod ${name}: ${phase}`,
        exit === undefined ? '' : `exit code ${exit.code} ${exit.reason}`,
        disrupted === undefined ? '' : said(disrupted),
      ].join(' '),
    ),
  ]
    .join('\n')
    .slice(-8000);

/** @param exit how this attempt's process ended, if it wrote so */
export function rankSight(place: PodPlace | undefined, exit: Exit | undefined, answer: PodAnswer): Sight {
  const { process, seen, now, overAt } = answer;
  const alive: Sight = { state: 'alive', process, job: runJob(answer) };
  if (exit?.code === 0) return { state: 'exited', exit, process };
  const state = jobState(seen);
  // The job decides whether the pod starts again; then the file is gone.
  if (state === 'active') return alive;
  const [pod] = place === undefined ? [] : podsAt(seen, place);
  if (exit !== undefined) {
    const killed = pod?.disrupted !== undefined || (exit.code === null && pod?.exit?.reason === 'OOMKilled');
    // Ranks of a job that somebody else deleted save and end as if they were asked to.
    const deleted = state === 'gone' && !answer.asked;
    if (!killed && !deleted) return { state: 'exited', exit, process };
    return { state: 'revoked', process, fault: endedFault(answer) };
  }
  // It is being ended, and saves.
  if (pod?.runs === true) return alive;
  if (now - (overAt ?? now) < filePatience) return { state: 'alive', process };
  return { state: 'revoked', process, fault: endedFault(answer) };
}
