/** What some namespaces want of pods beyond what every cluster takes, and how pods meet it. Pure. */
import type { PodSpec } from 'kubernetes-types/core/v1';

/** One thing that some namespaces want. */
export interface Want {
  /** How the API server refuses pods without it. */
  readonly words: RegExp;
  readonly met: (spec: PodSpec) => PodSpec;
}

/**
 * OpenShift gives each namespace user and group ids of its own, and puts them into pods that name none: of a namespace's pods the same.
 * Others are refused (its security context constraint restricted-v2). Elsewhere pods name theirs, since an image's user may be root.
 */
export const ownUsers: Want = {
  words: /unable to validate against any security context constraint/,
  met({ securityContext, ...spec }) {
    const { runAsUser: _user, runAsGroup: _group, fsGroup: _files, ...rest } = securityContext ?? {};
    return { ...spec, securityContext: rest };
  },
};

const withCpuLimit = (spec: PodSpec, cpu?: string): PodSpec => ({
  ...spec,
  containers: spec.containers.map((one) => {
    const limit = cpu ?? one.resources?.requests?.cpu;
    if (limit === undefined) return one;
    return { ...one, resources: { ...one.resources, limits: { ...one.resources?.limits, cpu: limit } } };
  }),
});

/**
 * Limits of processors: a quota on `limits.cpu`, or a LimitRange whose default is below what is drawn. Elsewhere pods have none, since
 * one that is reached stops all threads of a step for a while.
 * @param cpu the same limit for all containers; by default what each requests
 */
export const cpuLimitOf = (cpu?: string): Want => ({
  // As quotas, a LimitRange's default and its maximum say it.
  words:
    /must specify [^\n]*limits\.cpu|must be less than or equal to cpu limit|maximum cpu usage per [^\n]*No limit is specified/,
  met: (spec) => withCpuLimit(spec, cpu),
});

export const cpuLimits: Want = cpuLimitOf();
