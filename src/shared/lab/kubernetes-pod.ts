/** What every pod of ours has, whatever it runs: its rights, where the cluster may place it, what it asks for. Pure. */
import type { Container, PodSpec, ResourceRequirements, SecurityContext } from 'kubernetes-types/core/v1';
import type { KubernetesTarget } from './kubernetes.ts';
import type { PodGroup } from './pod-groups.ts';

/** Paths in a pod. */
export const podPaths = {
  /** The claim, or the pod's own disk. */
  volume: '/mnt/ringlab/volume',
  data: '/mnt/ringlab/data',
  commands: '/mnt/ringlab/commands',
  secret: '/mnt/ringlab/secret',
} as const;

/** The container of the ranks. */
export const ranksContainer = 'ranks';

/** The image's own users may be any: files of the run's folder belong to this one. */
const userId = 1000;

/** Of each container: what the Pod Security Standard *restricted* demands. */
export const confined: SecurityContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** Of all objects of a run, or of a cluster's access pod. */
export const labelsOf = (instance: string): Record<string, string> => ({
  'app.kubernetes.io/name': 'ringlab',
  'app.kubernetes.io/instance': instance,
});

/** Of pods: a proxy that Istio puts beside the ranks would outlive them, and their traffic is no HTTP. */
export const podLabelsOf = (instance: string): Record<string, string> => ({
  ...labelsOf(instance),
  'sidecar.istio.io/inject': 'false',
});

/** Without containers and volumes. */
export const podFrame = (target: KubernetesTarget, graceSeconds: number): Omit<PodSpec, 'containers'> => ({
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: graceSeconds,
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: userId,
    runAsGroup: userId,
    fsGroup: userId,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  },
  ...(target.pullSecrets === undefined
    ? {}
    : { imagePullSecrets: target.pullSecrets.map((one) => ({ name: one })) }),
});

/** Where the cluster may place the ranks, and before whom. */
export const podPlacement = (target: KubernetesTarget, instance: string): Omit<PodSpec, 'containers'> => ({
  ...(target.priorityClass === undefined ? {} : { priorityClassName: target.priorityClass }),
  ...(target.nodeSelector === undefined ? {} : { nodeSelector: target.nodeSelector }),
  ...(target.tolerations === undefined
    ? {}
    : {
        tolerations: target.tolerations.map(({ key, value, effect }) => ({
          key,
          operator: value === undefined ? 'Exists' : 'Equal',
          ...(value === undefined ? {} : { value }),
          ...(effect === undefined ? {} : { effect }),
        })),
      }),
  // Drawn nodes are different machines, where the cluster has enough.
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { 'app.kubernetes.io/instance': instance } },
    },
  ],
});

/** No limit of processors: one that is reached stops all threads of a step for a while. */
export function ranksNeed({ nodes, gpus }: PodGroup): ResourceRequirements {
  const [node] = nodes;
  const needs = { cpu: String(node?.placement.cpus ?? 1), memory: `${node?.placement.memoryGb ?? 1}Gi` };
  const asked: Record<string, string> = gpus === 0 ? {} : { 'nvidia.com/gpu': String(gpus) };
  return { requests: { ...needs, ...asked }, limits: { memory: needs.memory, ...asked } };
}

/** Of the ranks' container: the volume, temporary files, and memory that processes share. */
export const ranksMounts: NonNullable<Container['volumeMounts']> = [
  { name: 'volume', mountPath: podPaths.volume },
  { name: 'tmp', mountPath: '/tmp' },
  { name: 'shm', mountPath: '/dev/shm' },
];

export const ranksVolumes = ({ claim }: KubernetesTarget): NonNullable<PodSpec['volumes']> => [
  claim === undefined
    ? { name: 'volume', emptyDir: {} }
    : { name: 'volume', persistentVolumeClaim: { claimName: claim } },
  { name: 'tmp', emptyDir: {} },
  { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
];
