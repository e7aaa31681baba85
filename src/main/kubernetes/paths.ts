/** Where the API server has a namespace's objects of a kind. */
import { jobSetVersion } from '../../shared/lab/job-set.ts';
import type { KubernetesApi } from './contract.ts';

const groups = {
  pods: 'api/v1',
  services: 'api/v1',
  events: 'api/v1',
  resourcequotas: 'api/v1',
  jobs: 'apis/batch/v1',
  jobsets: `apis/${jobSetVersion}`,
} as const;

/** Rejects where the kubeconfig is of no use, as `KubernetesApi.namespace` does. */
export const pathOf = async (
  api: Pick<KubernetesApi, 'namespace'>,
  kind: keyof typeof groups,
): Promise<string> => `/${groups[kind]}/namespaces/${encodeURIComponent(await api.namespace())}/${kind}`;
