/** The exact objects of a run on a Kubernetes cluster: its Jobs, and the Service that gives their pods names. Pure. */
import type { Job, JobSpec } from 'kubernetes-types/batch/v1';
import type { Container, Pod, Service } from 'kubernetes-types/core/v1';
import type { ObjectMeta, OwnerReference } from 'kubernetes-types/meta/v1';
import { runFolder } from '../base/node-folder.ts';
import type { KubernetesTarget } from './kubernetes.ts';
import {
  confined,
  labelsOf,
  podFrame,
  podPaths,
  podPlacement,
  ranksContainer,
  ranksMounts,
  ranksNeed,
  ranksVolumes,
} from './kubernetes-pod.ts';
import type { LabDocument } from './lab.ts';
import { podGroups, type PodGroup } from './pod-groups.ts';

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
/** The trainer's exit codes where it lost its peers, and where it, or one of its peers, was asked to stop. */
const peerLost = 4;
const stopped = 7;

const metaOf = (
  { target, name }: Pick<PodJobOptions, 'target' | 'name'>,
  own: string,
  more: Record<string, string> = {},
): ObjectMeta => ({
  name: own,
  ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
  labels: { ...labelsOf(name), ...more },
});

const jobNameOf = (name: string, group: number): string => (group === 0 ? name : `${name}-${group}`);

/** A Job of as many pods as the group has nodes, numbered from 0. */
function groupJob(
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
      jobNameOf(name, at),
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
        metadata: { labels: labelsOf(name) },
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

/** Names of the pods by which their peers reach them, in the order of their nodes. */
export const podNames = ({ lab, order, name }: Pick<PodJobOptions, 'lab' | 'order' | 'name'>): string[] =>
  podGroups(lab, order).flatMap(({ nodes }, group) =>
    nodes.map((_, index) => `${jobNameOf(name, group)}-${index}.${name}`),
  );

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

/** Minutes without any process after which a pod that waits for commands ends by itself. */
const idleMinutes = 30;

/** Reaps what commands leave behind, and ends when no command has run for a while: the app may be gone for good. */
const waits = `trap 'exit 0' TERM INT
idle=0
while [ "$idle" -lt ${idleMinutes} ]; do
  sleep 60 & wait "$!"
  set -- /proc/[0-9]*
  if [ "$#" -gt 1 ]; then idle=0; else idle=$((idle + 1)); fi
done`;

/** Seconds for which the cluster keeps the record of pods that ended. */
const endedSeconds = 600;

/**
 * A cluster without a claim: a pod for each drawn node, with its own disk, in which it is prepared and its ranks are started, as on
 * a machine that is reached over SSH. What is on the disk ends with the pod: one that is taken away is not replaced.
 * @param name unique to this app, the lab and what is asked for
 */
export const machineJobs = (lab: LabDocument, target: KubernetesTarget, name: string): Job[] =>
  podGroups(lab, undefined).map((group, at) =>
    groupJob(
      { target, name },
      group,
      at,
      { backoffLimitPerIndex: 0, ttlSecondsAfterFinished: endedSeconds },
      { command: ['sh', '-c', waits], env: [{ name: 'HOME', value: podPaths.volume }] },
    ),
  );

/** Where each drawn node's pod is: its job, and its number in it. */
export const machinePlaces = (
  lab: LabDocument,
  name: string,
): { readonly nodeId: string; readonly job: string; readonly index: number }[] =>
  podGroups(lab, undefined).flatMap(({ nodes }, at) =>
    nodes.map(({ id }, index) => ({ nodeId: id, job: jobNameOf(name, at), index })),
  );

/**
 * The pod through which Ringlab prepares and follows runs: it has the claim, and commands run in it as on a login node.
 * @param name unique to this app, the claim and the image
 */
export const accessPod = (target: KubernetesTarget, name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: metaOf({ target, name }, name),
  spec: {
    ...podFrame(target, 5),
    ...podPlacement(target, name),
    containers: [
      {
        name: ranksContainer,
        image: target.image,
        command: ['sh', '-c', waits],
        env: [{ name: 'HOME', value: podPaths.volume }],
        resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '4Gi' } },
        securityContext: confined,
        volumeMounts: ranksMounts,
      },
    ],
    volumes: ranksVolumes(target),
  },
});

/** A lab's objects before it is run: they differ from the created ones in their name alone. */
export function previewObjects(lab: LabDocument, target: KubernetesTarget): (Job | Service)[] {
  if (target.claim === undefined) return machineJobs(lab, target, 'ringlab-nodes');
  const name = podJobName('RUN', 1);
  const options: PodJobOptions = {
    ...{ lab, target, name, order: undefined, attempt: 1 },
    runFolder: runFolder(podPaths.volume, 'RUN'),
  };
  return [...podJobs(options), podService(options)];
}
