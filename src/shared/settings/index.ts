/** The training settings of an experiment: see table.ts. */
export * from './batch-share.ts';
export * from './derived.ts';
export * from './sync-mode.ts';
export { syncKinds, syncRow } from './sync-modes.ts';
export type { SettingValue } from './row.ts';
