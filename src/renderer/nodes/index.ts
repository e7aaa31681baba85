/** Public interface of what is shown of nodes: preparation, connection, diagnoses, and how busy they are. */
export { NodeLive } from './NodeLive.tsx';
export { UtilisationPanel } from './UtilisationPanel.tsx';
export { useAllSamples } from './use-samples.ts';
export type { NodeSamples } from './sample-feed.ts';
export { NodeRing } from './NodeRing.tsx';
export { gpusOfRank } from './own-gpus.ts';
export { ConnectionWait } from './ConnectionWait.tsx';
export { StepList, readinessLook } from './StepList.tsx';
export { Diagnoses } from './Diagnoses.tsx';
