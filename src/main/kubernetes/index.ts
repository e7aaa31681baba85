/** Public interface of the Kubernetes layer. */
export type * from './contract.ts';
export type { SeenEvent, SeenJob, SeenPod, Why } from './objects.ts';
export { jobOf } from './objects.ts';
export { createKubernetes } from './clusters.ts';
export { createObject } from './create-object.ts';
export { deletePods } from './delete-pods.ts';
export { asNamespaceWants } from './namespace-wants.ts';
export { tryObjects } from './dry-run.ts';
export { podCountOf } from './made-objects.ts';
export { lackingRights, machinesOf, usesJobSet, versionOf } from './facts.ts';
export { lossOf } from './lost-pods.ts';
export { pathOf } from './paths.ts';
export { patiently } from './patience.ts';
export { createStuckPods } from './stuck-pods.ts';
