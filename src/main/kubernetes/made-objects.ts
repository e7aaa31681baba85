/** The objects that are created of a lab, and the pods that the cluster makes of them. Pure. */
import type { Job, JobSpec } from 'kubernetes-types/batch/v1';
import type { Pod, PodSpec, Service } from 'kubernetes-types/core/v1';
import type { JobSet } from '../../shared/lab/job-set.ts';

/** As `runObjects` and `machineObjects` make them. */
export type Made = Job | JobSet | Service;

const isJob = (one: Made): one is Job => one.kind === 'Job';

const specsOf = (one: Made): readonly JobSpec[] => {
  if (one.kind === 'JobSet') return one.spec.replicatedJobs.map(({ template }) => template.spec);
  return isJob(one) && one.spec !== undefined ? [one.spec] : [];
};

const changedJob = (spec: JobSpec, change: (spec: PodSpec) => PodSpec): JobSpec =>
  spec.template.spec === undefined
    ? spec
    : { ...spec, template: { ...spec.template, spec: change(spec.template.spec) } };

const changedSet = (set: JobSet, change: (spec: PodSpec) => PodSpec): JobSet => ({
  ...set,
  spec: {
    ...set.spec,
    replicatedJobs: set.spec.replicatedJobs.map((job) => ({
      ...job,
      template: { ...job.template, spec: changedJob(job.template.spec, change) },
    })),
  },
});

/** The same objects with other pods. */
export const withSpecs = <T extends Made>(objects: readonly T[], change: (spec: PodSpec) => PodSpec): T[] =>
  objects.map((one): T => {
    // Each stays of its own kind.
    if (one.kind === 'JobSet') return changedSet(one, change) as T;
    return isJob(one) && one.spec !== undefined ? { ...one, spec: changedJob(one.spec, change) } : one;
  });

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
