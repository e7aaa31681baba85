/** For tests: a cluster as it is named at least, and with everything that a target may say. */
import type { KubernetesTarget } from '../../../../../shared/lab/kubernetes.ts';

export const target: KubernetesTarget = { type: 'kubernetes', image: 'registry.example/ringlab:1' };
export const everything: KubernetesTarget = {
  ...target,
  namespace: 'team-a',
  pullSecrets: ['pull'],
  claim: 'shared',
  queue: 'gpus',
  priorityClass: 'high',
  nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB' },
  tolerations: [{ key: 'nvidia.com/gpu' }, { key: 'dedicated', value: 'training', effect: 'NoSchedule' }],
};
