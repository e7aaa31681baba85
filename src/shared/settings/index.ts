/** The training settings of an experiment: see table.ts. */
export * from './derived.ts';
export type { JudgedSettings, SettingRow, SettingValue, SettingWords } from './row.ts';
