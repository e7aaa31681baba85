/** A lab's experiment as Kubernetes objects: Indexed Jobs with a headless Service or a JobSet, the ranks' commands and the run's secret. Pure. */
import type { Job } from 'kubernetes-types/batch/v1';
import type { ConfigMap, PodSpec, Secret, Service, Volume } from 'kubernetes-types/core/v1';
import type { ObjectMeta } from 'kubernetes-types/meta/v1';
import { asJobSet, jobNameInSet, type JobSet } from '../../../../shared/lab/job-set.ts';
import type { KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
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
} from '../../../../shared/lab/kubernetes-pod.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { podGroups, type PodGroup } from '../../../../shared/lab/pod-groups.ts';
import { podCommands, podData, podStart, secretKey, type PodNames } from './pod-commands.ts';

type KubernetesObject = Service | Secret | ConfigMap | Job | JobSet;

export interface Manifest {
  readonly objects: readonly KubernetesObject[];
  readonly pods: number;
  readonly ranks: number;
}

export interface ManifestOptions {
  /** Its mode of synchronisation is decided. */
  readonly lab: LabDocument;
  /** Ids of the training nodes, in the order of their ranks; undefined: as drawn. */
  readonly nodeOrder: readonly string[] | undefined;
  readonly target: KubernetesTarget;
  /** Of all its objects; see `manifestName`. */
  readonly name: string;
  /** See run-secret.ts. */
  readonly secret: string;
  /** One JobSet instead of a Service and Jobs. */
  readonly isSet: boolean;
}

/** Leaves room for the number of a job and of a pod: a pod's host name has 63 characters at most. */
const longestName = 50;

/** `ringlab-three-nodes-3f2a91`: a valid name of a Service (RFC 1035), from the lab's and something that makes it unique. */
export function manifestName(labName: string, unique: string): string {
  const words = labName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, longestName - 'ringlab--'.length - unique.length)
    .replaceAll(/^-+|-+$/g, '');
  return ['ringlab', words, unique].filter((part) => part !== '').join('-');
}

/** How often the job starts a pod again, with all the others: they continue from the checkpoint. */
const restarts = 3;
/** Seconds that the ranks have to save a checkpoint when their pod is terminated. */
const graceSeconds = 120;

export function kubernetesManifest(options: ManifestOptions): Manifest {
  const { lab, nodeOrder, target, name, secret, isSet } = options;
  const groups = podGroups(lab, nodeOrder);
  const names: PodNames = {
    run: name,
    jobs: groups.map((_, at) =>
      isSet ? jobNameInSet(name, at) : groups.length === 1 ? name : `${name}-${at}`,
    ),
  };
  const labels = labelsOf(name);
  const meta = (own: string, more: Record<string, string> = {}): ObjectMeta => ({
    name: own,
    ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
    labels: { ...labels, ...more },
  });
  const ranks = groups.reduce((sum, { nodes, ranksPerPod }) => sum + nodes.length * ranksPerPod, 0);
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta(name),
    spec: {
      clusterIP: 'None',
      // Ranks look for each other before any of them could be called ready.
      publishNotReadyAddresses: true,
      selector: labels,
      ports: [{ name: 'rendezvous', port: lab.experiment.port, protocol: 'TCP' }],
    },
  };
  const keys: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: meta(name),
    type: 'Opaque',
    immutable: true,
    stringData: { [secretKey]: `${secret}\n` },
  };
  const commands: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: meta(name),
    immutable: true,
    data: { 'commands.sh': podCommands(lab, groups, names), 'start.sh': podStart },
  };
  const jobs = groups.map((group, at): Job => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: meta(
      names.jobs[at] ?? name,
      target.queue === undefined ? {} : { 'kueue.x-k8s.io/queue-name': target.queue },
    ),
    spec: {
      completionMode: 'Indexed',
      completions: group.nodes.length,
      parallelism: group.nodes.length,
      backoffLimitPerIndex: restarts,
      // One that is lost for good is lost for all.
      maxFailedIndexes: 0,
      // Kueue starts it when there is room for all its pods.
      ...(target.queue === undefined ? {} : { suspend: true }),
      podFailurePolicy: {
        rules: [
          // Evicted, preempted, drained: no fault of the run's.
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          // The trainer's: bad usage, bad data, a loss that is no number. They would fail the same way again.
          { action: 'FailJob', onExitCodes: { containerName: 'ranks', operator: 'In', values: [2, 3, 5] } },
        ],
      },
      template: {
        metadata: { labels: podLabelsOf(name) },
        spec: podSpec(lab, group, target, name),
      },
    },
  }));
  const pods = groups.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const objects = isSet ? [keys, commands, asJobSet(name, jobs, true)] : [service, keys, commands, ...jobs];
  return { objects, pods, ranks };
}

function podSpec(lab: LabDocument, group: PodGroup, target: KubernetesTarget, name: string): PodSpec {
  const { make } = podData(lab.experiment.data);
  const data = { name: 'data', mountPath: podPaths.data };
  const temporary = { name: 'tmp', mountPath: '/tmp' };
  const ownData: Volume = { name: 'data', emptyDir: {} };
  return {
    subdomain: name,
    ...podFrame(target, graceSeconds),
    ...podPlacement(target, name),
    ...(make === undefined
      ? {}
      : {
          initContainers: [
            {
              name: 'data',
              image: target.image,
              command: make,
              resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } },
              securityContext: confined,
              volumeMounts: [data, temporary],
            },
          ],
        }),
    containers: [
      {
        name: ranksContainer,
        image: target.image,
        command: ['sh', `${podPaths.commands}/start.sh`],
        env: [
          { name: 'HOME', value: '/tmp' },
          { name: 'RINGLAB_FIRST_RANK', value: String(group.firstRank) },
          { name: 'RINGLAB_RANKS', value: String(group.ranksPerPod) },
        ],
        resources: ranksNeed(group),
        securityContext: confined,
        volumeMounts: [
          ...ranksMounts,
          data,
          { name: 'commands', mountPath: podPaths.commands, readOnly: true },
          { name: 'secret', mountPath: podPaths.secret, readOnly: true },
        ],
      },
    ],
    volumes: [
      ...ranksVolumes(target),
      ownData,
      { name: 'commands', configMap: { name } },
      // Of fsGroup's: the ranks copy it into a file of mode 600.
      { name: 'secret', secret: { secretName: name, defaultMode: 0o440 } },
    ],
  };
}
