/** The objects that are created of a lab, and the pods that the cluster makes of them. Pure. */
import type { Job, JobSpec } from 'kubernetes-types/batch/v1';
import type { Pod, Service } from 'kubernetes-types/core/v1';
import type { JobSet } from '../../shared/lab/job-set.ts';

/** As `runObjects` and `machineObjects` make them. */
export type Made = Job | JobSet | Service;

export const isJob = (one: Made): one is Job => one.kind === 'Job';

const specsOf = (one: Made): readonly JobSpec[] => {
  if (one.kind === 'JobSet') return one.spec.replicatedJobs.map(({ template }) => template.spec);
  return isJob(one) && one.spec !== undefined ? [one.spec] : [];
};

/** How many pods they have. */
export const podCountOf = (objects: readonly Made[]): number =>
  objects.flatMap(specsOf).reduce((sum, { completions = 0 }) => sum + completions, 0);

/** A pod of each kind, to be tried. */
export const podsOf = (one: Made): Pod[] =>
  specsOf(one).map(({ template }, at) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${one.metadata?.name ?? ''}-${at}-try`,
      ...(template.metadata?.labels === undefined ? {} : { labels: template.metadata.labels }),
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  }));
