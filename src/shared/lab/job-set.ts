/**
 * A lab's Jobs as one JobSet (https://jobset.sigs.k8s.io, v1alpha2), where the cluster has that: what admits work, such as Kueue,
 * sees one thing and starts all pods together, or none. Pure.
 */
import type { Job, JobSpec } from 'kubernetes-types/batch/v1';
import type { ObjectMeta } from 'kubernetes-types/meta/v1';

export const jobSetVersion = 'jobset.x-k8s.io/v1alpha2';

interface ReplicatedJob {
  readonly name: string;
  readonly replicas: number;
  readonly template: { readonly metadata: ObjectMeta; readonly spec: JobSpec };
}

export interface JobSet {
  readonly apiVersion: typeof jobSetVersion;
  readonly kind: 'JobSet';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly suspend?: boolean;
    readonly ttlSecondsAfterFinished?: number;
    /** Its controller makes the Service that gives the pods names. */
    readonly network: { readonly enableDNSHostnames: boolean; readonly publishNotReadyAddresses: boolean };
    readonly successPolicy: { readonly operator: 'All' };
    readonly replicatedJobs: readonly ReplicatedJob[];
  };
}

/** As the controller names the Job of a group: `SET-GROUP-0`. */
export const jobNameInSet = (set: string, group: number): string => `${set}-${group}-0`;

/**
 * No failure policy: a Job that failed fails the set, which ends the others. JobSet 0.8 knows no policy under which they go on.
 * @param jobs one for each group; the first one's labels are the set's
 * @param service whether the pods need names
 */
export function asJobSet(name: string, jobs: readonly Job[], service: boolean): JobSet {
  const [first] = jobs;
  if (first === undefined) throw new RangeError('no jobs');
  const { suspend, ttlSecondsAfterFinished } = first.spec ?? {};
  return {
    apiVersion: jobSetVersion,
    kind: 'JobSet',
    metadata: { ...first.metadata, name },
    spec: {
      ...(suspend === undefined ? {} : { suspend }),
      ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
      network: { enableDNSHostnames: service, publishNotReadyAddresses: service },
      successPolicy: { operator: 'All' },
      replicatedJobs: jobs.map(({ spec }, group) => {
        if (spec === undefined) throw new RangeError('a job without a specification');
        const { suspend: _suspend, ttlSecondsAfterFinished: _kept, ...own } = spec;
        // Kueue's label is the set's alone: its Jobs are admitted with it.
        const labels = spec.template.metadata?.labels ?? {};
        return { name: String(group), replicas: 1, template: { metadata: { labels }, spec: own } };
      }),
    },
  };
}
