/** A Kubernetes cluster on which a lab trains as jobs: what its administration calls things, and what pods are made of. */
import * as z from 'zod';
import { oneLine } from '../base/plain-text.ts';

const maxSelectors = 32;
const maxTolerations = 32;
const maxPullSecrets = 8;

/** RFC 1123: names of namespaces, secrets, claims, priority classes and queues. */
const Name = z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'object_name');
/** `nvidia.com/gpu.product`: a name, with a domain before a slash. */
const LabelKey = z
  .string()
  .regex(
    /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/,
    'label_key',
  );
const LabelValue = z.string().regex(/^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/, 'label_value');
/** `registry.example/team/image:tag` or `…@sha256:…`. */
const Image = z
  .string()
  .max(1000)
  .regex(/^([a-z0-9]([A-Za-z0-9._:/-]*[A-Za-z0-9])?(@sha256:[0-9a-f]{64})?)?$/, 'image_name');

const Toleration = z.object({
  key: LabelKey,
  /** Absent: any value. */
  value: LabelValue.optional(),
  /** Absent: every effect. */
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
});

export const KubernetesTarget = z.object({
  type: z.literal('kubernetes'),
  /** Path of a kubeconfig on this computer. Absent: what `KUBECONFIG` names, or `~/.kube/config`. */
  kubeconfig: oneLine(4096).optional(),
  /** Absent: the kubeconfig's current one. */
  context: oneLine(253).optional(),
  /** Absent: the one of the context. */
  namespace: Name.optional(),
  /** Empty until it is chosen. */
  image: Image,
  pullSecrets: z.array(Name).max(maxPullSecrets).optional(),
  /**
   * A PersistentVolumeClaim that all pods can write (ReadWriteMany): a run is prepared and followed on it. Absent: each pod's own
   * disk, which ends with it.
   */
  claim: Name.optional(),
  /** Kueue's LocalQueue: the job waits until all its pods fit. */
  queue: Name.optional(),
  priorityClass: Name.optional(),
  nodeSelector: z
    .record(LabelKey, LabelValue)
    .refine((selector) => Object.keys(selector).length <= maxSelectors, 'labels_too_many')
    .optional(),
  tolerations: z.array(Toleration).max(maxTolerations).optional(),
});
export type KubernetesTarget = z.infer<typeof KubernetesTarget>;

export const newKubernetesTarget = (): KubernetesTarget => ({ type: 'kubernetes', image: '' });

/** How objects are written for `kubectl`: it reads YAML 1.1, in which `yes` and `1_000` without quotes are no strings. */
export const kubectlYaml = { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;
