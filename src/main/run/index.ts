export type * from './contract.ts';
export type { Clock } from './clock.ts';
export type { Launcher, LaunchOrder, ProcessIdentity, Sight } from './launcher.ts';
export type { RunSettings } from './settings.ts';
export { defaultSettings } from './settings.ts';
export { createRuns, type RunDependencies } from './runs.ts';
export { knownCompute } from './known-compute.ts';
