/** Shows objects to the API server in a dry run: the namespace's quotas and rules judge them before they are created. */
import type { Job, JobSpec } from 'kubernetes-types/batch/v1';
import type { Service } from 'kubernetes-types/core/v1';
import type { JobSet } from '../../shared/lab/job-set.ts';
import type { KubernetesApi } from './contract.ts';
import { pathOf } from './paths.ts';

/** As `runObjects` and `machineObjects` make them. */
type Made = Job | JobSet | Service;

const specsOf = (one: Made): readonly JobSpec[] => {
  if (one.kind === 'JobSet') return one.spec.replicatedJobs.map(({ template }) => template.spec);
  return isJob(one) && one.spec !== undefined ? [one.spec] : [];
};
const isJob = (one: Job | Service): one is Job => one.kind === 'Job';

/** How many pods they have. */
export const podCountOf = (objects: readonly Made[]): number =>
  objects.flatMap(specsOf).reduce((sum, { completions = 0 }) => sum + completions, 0);

/**
 * Quotas and the Pod Security Standards judge pods, not what makes them: a pod of each is tried, too. Rejects as `KubernetesApi.request`
 * does.
 */
export async function tryObjects(
  api: KubernetesApi,
  objects: readonly Made[],
  signal: AbortSignal,
): Promise<void> {
  const query = { dryRun: 'All', fieldValidation: 'Strict' };
  const attempt = async (path: string, body: unknown): Promise<void> =>
    // One of this name may be about to go.
    void (await api.request({ method: 'POST', path, query, body, expects: [409], signal }));
  for (const one of objects) {
    const kind = one.kind === 'JobSet' ? 'jobsets' : one.kind === 'Job' ? 'jobs' : 'services';
    await attempt(await pathOf(api, kind), one);
    for (const [at, { template }] of specsOf(one).entries())
      await attempt(await pathOf(api, 'pods'), {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `${one.metadata?.name ?? ''}-${at}-try`, labels: template.metadata?.labels },
        spec: template.spec,
      });
  }
}
