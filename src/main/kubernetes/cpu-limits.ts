/**
 * Limits of processors, for namespaces that want them: a quota on `limits.cpu`, or a LimitRange whose default is below what is drawn.
 * Elsewhere pods have none, since one that is reached stops all threads of a step for a while.
 */
import type { JobSpec } from 'kubernetes-types/batch/v1';
import type { PodSpec } from 'kubernetes-types/core/v1';
import { RinglabError } from '../../shared/base/errors.ts';
import type { JobSet } from '../../shared/lab/job-set.ts';
import type { KubernetesApi } from './contract.ts';
import { isJob, podsOf, type Made } from './made-objects.ts';
import { pathOf } from './paths.ts';

/** As quotas, a LimitRange's default and its maximum say it. */
const words =
  /must specify [^\n]*limits\.cpu|must be less than or equal to cpu limit|maximum cpu usage per [^\n]*No limit is specified/;

const refusals: ReadonlySet<string> = new Set(['pods_refused', 'cluster_forbidden']);

/** Whether the API server refused pods because they have no limit of processors, or a smaller one by default. */
export const wantsCpuLimit = (error: unknown): error is RinglabError =>
  error instanceof RinglabError && error.code === 'pods_refused' && words.test(String(error.params.reason));

/** @param cpu by default what the container requests */
export const withCpuLimit = (spec: PodSpec, cpu?: string): PodSpec => ({
  ...spec,
  containers: spec.containers.map((one) => {
    const limit = cpu ?? one.resources?.requests?.cpu;
    if (limit === undefined) return one;
    return { ...one, resources: { ...one.resources, limits: { ...one.resources?.limits, cpu: limit } } };
  }),
});

const limitedJob = (spec: JobSpec): JobSpec =>
  spec.template.spec === undefined
    ? spec
    : { ...spec, template: { ...spec.template, spec: withCpuLimit(spec.template.spec) } };

const limitedSet = (set: JobSet): JobSet => ({
  ...set,
  spec: {
    ...set.spec,
    replicatedJobs: set.spec.replicatedJobs.map((job) => ({
      ...job,
      template: { ...job.template, spec: limitedJob(job.template.spec) },
    })),
  },
});

/** Objects whose pods are limited to what they request. */
export const limited = <T extends Made>(objects: readonly T[]): T[] =>
  objects.map((one): T => {
    // Each stays of its own kind.
    if (one.kind === 'JobSet') return limitedSet(one) as T;
    return isJob(one) && one.spec !== undefined ? { ...one, spec: limitedJob(one.spec) } : one;
  });

/**
 * The objects as this namespace takes their pods, by a dry run of each. Refusals for other reasons are left to their creation.
 * Rejects where the API does not answer.
 * @param says called with the refusal where limits are set
 */
export async function asNamespaceWants<T extends Made>(
  api: KubernetesApi,
  objects: readonly T[],
  says: (why: string) => void,
  signal?: AbortSignal,
): Promise<readonly T[]> {
  const query = { dryRun: 'All', fieldValidation: 'Strict' };
  const path = await pathOf(api, 'pods');
  for (const body of objects.flatMap(podsOf))
    try {
      await api.request({ method: 'POST', path, query, body, expects: [409], signal });
    } catch (error) {
      if (wantsCpuLimit(error)) {
        says(String(error.params.reason));
        return limited(objects);
      }
      const isRefused = error instanceof RinglabError && refusals.has(error.code);
      if (!isRefused) throw error;
    }
  return objects;
}
