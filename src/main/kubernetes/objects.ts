/** Parses what the API server says of pods, jobs and events. It is foreign text: bounded, and of it only what is used. Pure. */
import * as z from 'zod';
import { ranksContainer } from '../../shared/lab/kubernetes-pod.ts';

/** Of messages and reasons: a scheduler lists why each of its machines does not fit. */
const longestText = 2000;
const text = z
  .string()
  .transform((said) => said.slice(0, longestText))
  .default('');
const name = z.string().min(1).max(253);
const Condition = z.object({ type: z.string(), status: z.string(), reason: text, message: text });
const conditions = z.array(Condition).max(200).default([]);

const ContainerState = z.object({
  waiting: z.object({ reason: text, message: text }).optional(),
  running: z.object({}).optional(),
  terminated: z.object({ exitCode: z.number().int(), reason: text, message: text }).optional(),
});

const Meta = z.object({
  name,
  uid: z.string().max(100),
  creationTimestamp: z.string().max(100).default(''),
  deletionTimestamp: z.string().max(100).optional(),
  deletionGracePeriodSeconds: z.number().default(0),
  labels: z.record(z.string(), z.string()).default({}),
});

const Pod = z.object({
  metadata: Meta,
  spec: z.object({ nodeName: z.string().max(253).optional() }),
  status: z
    .object({
      phase: z.string().max(40).default('Pending'),
      reason: text,
      message: text,
      conditions,
      containerStatuses: z
        .array(z.object({ name: text, state: ContainerState.default({}) }))
        .max(50)
        .default([]),
    })
    .prefault({}),
});

const Job = z.object({
  metadata: Meta,
  spec: z.object({ suspend: z.boolean().default(false) }),
  status: z.object({ conditions }).prefault({}),
});

const Event = z.object({
  type: z.string().max(40).default(''),
  reason: text,
  message: text,
  involvedObject: z.object({ kind: z.string().max(100).default(''), name: z.string().max(253).default('') }),
});

export interface Why {
  /** The cluster's own word: `Unschedulable`, `ErrImagePull`, `Evicted`. */
  readonly reason: string;
  readonly message: string;
}

export interface SeenPod {
  readonly name: string;
  readonly uid: string;
  /** The job's name, and its number in it. */
  readonly job: string;
  readonly index: number | undefined;
  readonly created: string;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  /** The machine that it was given. */
  readonly node: string | undefined;
  readonly isDeleting: boolean;
  /** Of one that is being deleted: how long its containers may take to end. */
  readonly graceSeconds: number;
  /** The container of its ranks runs. A namespace may add containers of its own. */
  readonly runs: boolean;
  /** Why it does not run yet. */
  readonly waits: Why | undefined;
  /** How that container ended. */
  readonly exit: { readonly code: number; readonly reason: string } | undefined;
  /** The cluster took it away: evicted, preempted, its machine drained or lost. */
  readonly disrupted: Why | undefined;
}

export interface SeenJob {
  readonly name: string;
  readonly uid: string;
  readonly isSuspended: boolean;
  readonly state: 'active' | 'complete' | 'failed';
  /** Why it failed. */
  readonly why: Why | undefined;
}

export interface SeenEvent extends Why {
  /** The object that it is about. */
  readonly about: string;
}

const phases = ['Pending', 'Running', 'Succeeded', 'Failed'] as const;

/** Undefined where it is no pod. */
export function podOf(object: unknown): SeenPod | undefined {
  const { data } = Pod.safeParse(object);
  if (data === undefined) return undefined;
  const { metadata, spec, status } = data;
  const isTrue = (type: string) =>
    status.conditions.find((one) => one.type === type && one.status === 'True');
  const unplaced = status.conditions.find(
    ({ type, status: said }) => type === 'PodScheduled' && said === 'False',
  );
  const state = status.containerStatuses.find((one) => one.name === ranksContainer)?.state;
  const waiting = state?.waiting;
  const ended = state?.terminated;
  const disruption = isTrue('DisruptionTarget');
  const phase = phases.find((one) => one === status.phase) ?? 'Unknown';
  // It is pending until all of its containers have started.
  const runs = (phase === 'Running' || phase === 'Pending') && state?.running !== undefined;
  const evicted =
    phase === 'Failed' && status.reason !== ''
      ? { reason: status.reason, message: status.message }
      : undefined;
  const index = Number(metadata.labels['batch.kubernetes.io/job-completion-index'] ?? Number.NaN);
  return {
    name: metadata.name,
    uid: metadata.uid,
    job: metadata.labels['batch.kubernetes.io/job-name'] ?? '',
    index: Number.isInteger(index) ? index : undefined,
    created: metadata.creationTimestamp,
    phase,
    node: spec.nodeName,
    isDeleting: metadata.deletionTimestamp !== undefined,
    graceSeconds: metadata.deletionGracePeriodSeconds,
    runs,
    waits:
      runs || (phase !== 'Pending' && waiting === undefined)
        ? undefined
        : waiting !== undefined
          ? waiting
          : unplaced !== undefined
            ? { reason: unplaced.reason, message: unplaced.message }
            : { reason: 'Pending', message: '' },
    exit: ended === undefined ? undefined : { code: ended.exitCode, reason: ended.reason },
    disrupted:
      disruption === undefined
        ? evicted
        : { reason: evicted?.reason ?? disruption.reason, message: evicted?.message ?? disruption.message },
  };
}

/** Of a Job, and of a JobSet, whose conditions are named alike. */
export function jobOf(object: unknown): SeenJob | undefined {
  const { data } = Job.safeParse(object);
  if (data === undefined) return undefined;
  const { metadata, spec, status } = data;
  const holds = (type: string) => status.conditions.find((one) => one.type === type && one.status === 'True');
  // FailureTarget comes first, while its other pods still end.
  const failed = holds('Failed') ?? holds('FailureTarget');
  return {
    name: metadata.name,
    uid: metadata.uid,
    isSuspended: spec.suspend,
    state:
      failed !== undefined
        ? 'failed'
        : (holds('Complete') ?? holds('Completed')) !== undefined
          ? 'complete'
          : 'active',
    why: failed === undefined ? undefined : { reason: failed.reason, message: failed.message },
  };
}

/** Undefined where it is no warning. */
export function eventOf(object: unknown): SeenEvent | undefined {
  const { data } = Event.safeParse(object);
  if (data === undefined || data.type !== 'Warning') return undefined;
  return { about: data.involvedObject.name, reason: data.reason, message: data.message };
}

/** Objects in one list. */
const maxItems = 20_000;
const List = z.object({
  metadata: z.object({ resourceVersion: z.string().max(100).default('') }).prefault({}),
  items: z.array(z.unknown()).max(maxItems).default([]),
});

export function listOf(body: unknown): { version: string; items: readonly unknown[] } {
  const { metadata, items } = List.parse(body);
  return { version: metadata.resourceVersion, items };
}

const WatchLine = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.looseObject({
    code: z.number().optional(),
    metadata: z.looseObject({ resourceVersion: z.string().max(100).optional() }).optional(),
  }),
});

export interface WatchEvent {
  readonly type: z.infer<typeof WatchLine>['type'];
  readonly object: unknown;
  /** From which a broken watch goes on. */
  readonly version: string | undefined;
  /** Of an error: 410 where the version is too old. */
  readonly code: number | undefined;
}

/** Undefined where the line is none of a watch. */
export function watchEventOf(line: string): WatchEvent | undefined {
  try {
    const { data } = WatchLine.safeParse(JSON.parse(line));
    if (data === undefined) return undefined;
    const { type, object } = data;
    return { type, object, version: object.metadata?.resourceVersion, code: object.code };
  } catch {
    return undefined;
  }
}

/** What the API server says where it refuses. */
export const Status = z.object({ message: text, reason: text });

/** The cluster's own words, on one line. */
export const whyWords = ({ reason, message }: Why): string =>
  [reason, message]
    .filter((part) => part !== '')
    .join(': ')
    .slice(0, 1000);

/** Why a pod does not run. */
export const waitWords = ({ waits, disrupted, phase }: SeenPod): string =>
  whyWords(disrupted ?? waits ?? { reason: phase, message: '' });
