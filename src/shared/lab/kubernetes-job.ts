/** The exact objects of a run on a Kubernetes cluster: its Jobs, and the Service that gives their pods names. Pure. */
import type { Job, JobSpec } from 'kubernetes-types/batch/v1';
import type { Container, Service } from 'kubernetes-types/core/v1';
import type { ObjectMeta, OwnerReference } from 'kubernetes-types/meta/v1';
import { asJobSet, jobNameInSet, type JobSet } from './job-set.ts';
import type { KubernetesTarget } from './kubernetes.ts';
import {
  confined,
  labelsOf,
  podFrame,
  podLabelsOf,
  podPaths,
  podPlacement,
  ranksContainer,
  ranksMounts,
  ranksNeed,
  ranksVolumes,
} from './kubernetes-pod.ts';
import type { LabDocument } from './lab.ts';
import { podGroups, type PodGroup } from './pod-groups.ts';
import { hasSharedFolder, kubernetesOf } from './reached.ts';

export interface PodJobOptions {
  readonly lab: LabDocument;
  readonly target: KubernetesTarget;
  /** Ids of the training nodes, in the order of their ranks; undefined: as drawn. */
  readonly order: readonly string[] | undefined;
  /** Of the first job, the Service, and the label of all; see `podJobName`. */
  readonly name: string;
  /** Absolute, on the claim. */
  readonly runFolder: string;
  readonly attempt: number;
  /** Its Jobs are those of one JobSet, whose name is `name`. */
  readonly isSet: boolean;
}

/** The name by which a start finds the job of an attempt again, should the connection break after it was created. */
export const podJobName = (runId: string, attempt: number): string =>
  `ringlab-${runId.toLowerCase()}-${attempt}`;

/** In the run's folder: what each pod of an attempt starts. */
export const podScriptFile = (attempt: number): string => `pods-${attempt}.sh`;

/** How often the job starts a pod again that lost its peers; they continue from the checkpoint. */
const restarts = 3;
/** Seconds that the ranks have to save a checkpoint when their pod is terminated. */
const graceSeconds = 120;
/** A job that nobody cleaned up is kept this long, so that an app that was closed meanwhile learns how it ended. */
const keptSeconds = 7 * 24 * 3600;
/**
 * The trainer's exit codes where it lost its peers, and where it, or one of its peers, was asked to stop. A pod of an own script ends with
 * neither.
 */
export const peerLost = 4;
export const stopped = 7;

export const metaOf = (
  { target, name }: Pick<PodJobOptions, 'target' | 'name'>,
  own: string,
  more: Record<string, string> = {},
): ObjectMeta => ({
  name: own,
  ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
  labels: { ...labelsOf(name), ...more },
});

export const jobNameOf = (name: string, group: number, isSet: boolean): string =>
  isSet ? jobNameInSet(name, group) : group === 0 ? name : `${name}-${group}`;

/**
 * Whether the objects are one JobSet: where nodes differ, and the cluster has it. Without a claim only for a queue, which else admits
 * a part of them: a JobSet that loses one pod of such a lab deletes the others, with what is on their disks.
 * @param order ids of the training nodes; undefined: as drawn
 */
export const isOneSet = (
  lab: LabDocument,
  order: readonly string[] | undefined,
  hasJobSets: boolean,
): boolean =>
  hasJobSets &&
  (hasSharedFolder(lab) || kubernetesOf(lab)?.queue !== undefined) &&
  podGroups(lab, order).length > 1;

/** A Job of as many pods as the group has nodes, numbered from 0. */
export function groupJob(
  { target, name }: Pick<PodJobOptions, 'target' | 'name'>,
  group: PodGroup,
  at: number,
  own: Pick<
    JobSpec,
    'backoffLimitPerIndex' | 'maxFailedIndexes' | 'ttlSecondsAfterFinished' | 'podFailurePolicy'
  >,
  container: Pick<Container, 'command' | 'env'>,
): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metaOf(
      { target, name },
      jobNameOf(name, at, false),
      target.queue === undefined ? {} : { 'kueue.x-k8s.io/queue-name': target.queue },
    ),
    spec: {
      completionMode: 'Indexed',
      completions: group.nodes.length,
      parallelism: group.nodes.length,
      ...own,
      // Kueue starts it when there is room for all its pods.
      ...(target.queue === undefined ? {} : { suspend: true }),
      template: {
        metadata: { labels: podLabelsOf(name) },
        spec: {
          subdomain: name,
          ...podFrame(target, graceSeconds),
          ...podPlacement(target, name),
          containers: [
            {
              name: ranksContainer,
              image: target.image,
              ...container,
              resources: ranksNeed(group),
              securityContext: confined,
              volumeMounts: ranksMounts,
            },
          ],
          volumes: ranksVolumes(target),
        },
      },
    },
  };
}

/** One for each group of consecutive nodes that are alike; the first owns the others and the Service. */
export function podJobs(options: PodJobOptions): Job[] {
  const { lab, order, runFolder, attempt } = options;
  let firstPod = 0;
  return podGroups(lab, order).map((group, at): Job => {
    const first = firstPod;
    firstPod += group.nodes.length;
    const policy: Parameters<typeof groupJob>[3] = {
      backoffLimitPerIndex: restarts,
      // One that is lost for good is lost for all.
      maxFailedIndexes: 0,
      ttlSecondsAfterFinished: keptSeconds,
      podFailurePolicy: {
        rules: [
          // Evicted, preempted, drained: no fault of the run's.
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          // Ranks save and end together with one that is taken away. To stop the run the job is deleted.
          {
            action: 'Ignore',
            onExitCodes: { containerName: ranksContainer, operator: 'In', values: [stopped] },
          },
          // A rank that failed would fail again; one that lost its peers starts again with them.
          {
            action: 'FailJob',
            onExitCodes: { containerName: ranksContainer, operator: 'NotIn', values: [peerLost, stopped] },
          },
        ],
      },
    };
    return groupJob(options, group, at, policy, {
      command: ['sh', `${runFolder}/${podScriptFile(attempt)}`],
      env: [
        { name: 'HOME', value: podPaths.volume },
        { name: 'RINGLAB_FIRST_POD', value: String(first) },
      ],
    });
  });
}

export interface PodPlace {
  readonly job: string;
  /** Its number in the job. */
  readonly index: number;
}

type Placed = Pick<PodJobOptions, 'lab' | 'order' | 'name' | 'isSet'>;

/** Where each pod is, in the order of its nodes. */
export const podPlaces = ({ lab, order, name, isSet }: Placed): PodPlace[] =>
  podGroups(lab, order).flatMap(({ nodes }, group) =>
    nodes.map((_, index) => ({ job: jobNameOf(name, group, isSet), index })),
  );

/** Names of the pods by which their peers reach them, in the order of their nodes. */
export const podNames = (options: Placed): string[] =>
  podPlaces(options).map(({ job, index }) => `${job}-${index}.${options.name}`);

/** Without an address: names for the pods, known before they are ready. */
export function podService(options: PodJobOptions): Service {
  const { lab, name } = options;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metaOf(options, name),
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: labelsOf(name),
      ports: [{ name: 'rendezvous', port: lab.experiment.port, protocol: 'TCP' }],
    },
  };
}

/** The same object as a part of its owner: it is deleted with it. */
export const ownedBy = <Owned extends Job | Service>(one: Owned, owner: OwnerReference): Owned => ({
  ...one,
  metadata: { ...one.metadata, ownerReferences: [owner] },
});

/** All objects of a run. Of more than one Job, the first owns the others and the Service. */
export const runObjects = (options: PodJobOptions): (Job | Service | JobSet)[] =>
  options.isSet
    ? [asJobSet(options.name, podJobs(options), true)]
    : [...podJobs(options), podService(options)];
