/**
 * Limits of processors, for namespaces that want them: a quota on `limits.cpu`, or a LimitRange whose default is below what is drawn.
 * Elsewhere pods have none, since one that is reached stops all threads of a step for a while.
 */
import type { PodSpec } from 'kubernetes-types/core/v1';
import type { Want } from './namespace-wants.ts';

/** @param cpu by default what the container requests */
const withCpuLimit = (spec: PodSpec, cpu?: string): PodSpec => ({
  ...spec,
  containers: spec.containers.map((one) => {
    const limit = cpu ?? one.resources?.requests?.cpu;
    if (limit === undefined) return one;
    return { ...one, resources: { ...one.resources, limits: { ...one.resources?.limits, cpu: limit } } };
  }),
});

/** The same limit for all containers. */
export const cpuLimitOf = (cpu?: string): Want => ({
  // As quotas, a LimitRange's default and its maximum say it.
  words:
    /must specify [^\n]*limits\.cpu|must be less than or equal to cpu limit|maximum cpu usage per [^\n]*No limit is specified/,
  met: (spec) => withCpuLimit(spec, cpu),
});

/** What each container requests. */
export const cpuLimits: Want = cpuLimitOf();
