/** The training settings of an experiment: see table.ts. */
export * from './derived.ts';
export * from './sync-mode.ts';
export { syncKinds, syncRow, type SyncKind } from './sync-modes.ts';
export type { JudgedSettings, SettingRow, SettingValue, SettingWords } from './row.ts';
