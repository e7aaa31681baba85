/**
 * Everything derived from the table of training settings: schema, defaults, effective values, arguments, labels,
 * exclusions.
 */
import * as z from 'zod';
import type { Language } from '../base/language.ts';
import type { ChoiceRow, JudgedSettings, SettingField, SettingRow, SettingValue } from './row.ts';
import { settingsTable } from './table.ts';

type Table = typeof settingsTable;
export type TrainingSetting = keyof Table;
/** A value of each setting. */
export type TrainingSettings = { [K in TrainingSetting]: z.output<Table[K]['schema']> };
type OptionalSetting = {
  [K in TrainingSetting]: Table[K] extends { optional: true } ? K : never;
}[TrainingSetting];
export type SweptSetting = {
  [K in TrainingSetting]: Table[K] extends { swept: true } ? K : never;
}[TrainingSetting];
export type ComparedSetting = {
  [K in TrainingSetting]: Table[K] extends { notCompared: true } ? never : K;
}[TrainingSetting];
type ExclusionOf<Row> = Row extends { exclusions: readonly { code: infer Code }[] } ? Code : never;
type ExclusionCode = ExclusionOf<Table[TrainingSetting]>;

/** The row by its general type, for code that iterates over all rows. */
export const settingRow = (name: TrainingSetting): SettingRow => settingsTable[name];

export const trainingSettings = z.enum(Object.keys(settingsTable) as TrainingSetting[]).options; // Object.keys of a constant table.

export const isTrainingSetting = (name: string): name is TrainingSetting =>
  Object.hasOwn(settingsTable, name);

const isSwept = (name: TrainingSetting): name is SweptSetting => settingRow(name).swept === true;
const isCompared = (name: TrainingSetting): name is ComparedSetting => settingRow(name).notCompared !== true;
export const sweptSettings = trainingSettings.filter(isSwept);
export const comparedSettings = trainingSettings.filter(isCompared);

/** One entry for each setting; the compiler cannot infer that `fromEntries` has every key. */
const forEach = <T>(make: (name: TrainingSetting, row: SettingRow) => T): Record<TrainingSetting, T> =>
  Object.fromEntries(trainingSettings.map((name) => [name, make(name, settingRow(name))])) as Record<
    TrainingSetting,
    T
  >;

/** The part of the experiment's schema that comes from the table. */
export const settingsShape = forEach((_, { schema, optional, earlier }) => {
  const now = optional === true ? schema.optional() : schema;
  return earlier === undefined ? now : z.preprocess(earlier, now);
}) as {
  // Each key has its own row's schema; `forEach` has only the general type.
  [K in TrainingSetting]: K extends OptionalSetting ? z.ZodOptional<Table[K]['schema']> : Table[K]['schema'];
};

const required = trainingSettings.filter((name) => settingRow(name).optional !== true);
/** The values that a new lab states explicitly. */
export const newLabSettings = (): Pick<TrainingSettings, Exclude<TrainingSetting, OptionalSetting>> =>
  // The defaults of the required rows, each of its own schema's type (settings.test.ts).
  Object.fromEntries(required.map((name) => [name, settingRow(name).default])) as TrainingSettings;

/** The training settings that an experiment states. */
export type GivenSettings = { readonly [K in TrainingSetting]?: TrainingSettings[K] | undefined };

/** All settings with their effective values: the trainer's default where the experiment states none. */
export function settingsOf(given: GivenSettings): TrainingSettings {
  // Every value is the experiment's or its row's default, both of the row's schema.
  return forEach((name, row) => given[name] ?? row.default) as TrainingSettings;
}

/** Whether the value is the trainer's default. */
export const isDefault = (name: TrainingSetting, value: SettingValue): boolean =>
  settingRow(name).optional === true && String(value).trim() === String(settingRow(name).default);

/**
 * The trainer's arguments: required settings, and optional ones that differ from the trainer's default.
 * @param settings values that differ for this rank (its share of the batch)
 */
export function settingArguments(settings: TrainingSettings): string[] {
  return trainingSettings.flatMap((name) => {
    const { flag, kind } = settingRow(name);
    const value = settings[name];
    if (flag === undefined || isDefault(name, value)) return [];
    return kind === 'switch' ? [flag] : [flag, String(value).trim()];
  });
}

/** The label of each setting. */
export const settingLabels = (language: Language): Record<TrainingSetting, string> =>
  forEach((_, { words }) => words[language].label);

export interface ExcludedSetting {
  readonly name: TrainingSetting;
  readonly code: ExclusionCode;
}

/** Settings that exclude each other, equal to native/options/combinations.cpp. */
export function excludedSettings(settings: JudgedSettings): ExcludedSetting[] {
  return trainingSettings.flatMap((name) =>
    (settingRow(name).exclusions ?? []).flatMap(({ code, excluded }) =>
      // The general row's code is any string; those of the table are these.
      excluded(settings) ? [{ name, code: code as ExclusionCode }] : [],
    ),
  );
}

/** The settings of a section of the inspector by line: two consecutive halves share one. */
export function fieldLines(section: SettingField['section']): readonly (readonly TrainingSetting[])[] {
  const lines: TrainingSetting[][] = [];
  for (const name of trainingSettings) {
    const { field } = settingRow(name);
    if (field.section !== section) continue;
    const last = lines.at(-1);
    const [first] = last ?? [];
    const joins =
      field.half === true &&
      last?.length === 1 &&
      first !== undefined &&
      settingRow(first).field.half === true;
    if (joins) last.push(name);
    else lines.push([name]);
  }
  return lines;
}

/** The values of a choice in the order of its schema. */
export const choiceValues = ({ schema }: ChoiceRow): readonly (string | number)[] =>
  schema instanceof z.ZodEnum ? schema.options : [...schema.values];
