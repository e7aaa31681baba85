/** What a Kubernetes cluster offers a lab's account: rights, machines that its pods may be placed on, quotas of the namespace. */
import * as z from 'zod';
import { oneLine } from '../base/plain-text.ts';

const Amount = z.number().nonnegative().max(1e21);

/** Machines that offer pods the same. */
const KubernetesMachines = z.object({
  count: z.number().int().positive().max(1e6),
  cpus: Amount,
  memoryBytes: Amount,
  gpus: Amount,
  /** A taint keeps others away. */
  gpuPodsOnly: z.boolean().optional(),
});
export type KubernetesMachines = z.infer<typeof KubernetesMachines>;

const KubernetesQuota = z.object({
  name: oneLine(253),
  /** As the cluster names it: `requests.cpu`, `pods`. In its units: processors, bytes, a number. */
  resource: oneLine(300),
  hard: Amount,
  used: Amount,
});
export type KubernetesQuota = z.infer<typeof KubernetesQuota>;

export const KubernetesFacts = z.object({
  version: oneLine(100),
  namespace: oneLine(253),
  /** Rights that a run needs and the account lacks: `create jobs`. */
  lacking: z.array(oneLine(100)).max(50),
  /** Absent where the account may not list them. */
  machines: z.array(KubernetesMachines).max(1000).optional(),
  quotas: z.array(KubernetesQuota).max(1000).optional(),
});
export type KubernetesFacts = z.infer<typeof KubernetesFacts>;
