/** What is derived from the table of training settings: schema, defaults, values in force, arguments, labels, exclusions. */
import { z } from 'zod';
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

/** The row by its general type, which code that goes over all rows reads. */
export const settingRow = (name: TrainingSetting): SettingRow => settingsTable[name];

export const trainingSettings = z.enum(Object.keys(settingsTable) as TrainingSetting[]).options; // keys of a table that nobody extends

export const isTrainingSetting = (name: string): name is TrainingSetting =>
  Object.hasOwn(settingsTable, name);

const isSwept = (name: TrainingSetting): name is SweptSetting => settingRow(name).swept === true;
const isCompared = (name: TrainingSetting): name is ComparedSetting => settingRow(name).notCompared !== true;
export const sweptSettings = trainingSettings.filter(isSwept);
export const comparedSettings = trainingSettings.filter(isCompared);

/** One entry for each setting; the compiler cannot see that `fromEntries` has every key. */
const forEach = <T>(make: (name: TrainingSetting, row: SettingRow) => T): Record<TrainingSetting, T> =>
  Object.fromEntries(trainingSettings.map((name) => [name, make(name, settingRow(name))])) as Record<
    TrainingSetting,
    T
  >;

/** The part of the experiment's schema that the table says. */
export const settingsShape = forEach((_, { schema, optional, earlier }) => {
  const now = optional === true ? schema.optional() : schema;
  return earlier === undefined ? now : z.preprocess(earlier, now);
}) as {
  // Each key has its own row's schema, which `forEach` knows by its general type alone.
  [K in TrainingSetting]: K extends OptionalSetting ? z.ZodOptional<Table[K]['schema']> : Table[K]['schema'];
};

const required = trainingSettings.filter((name) => settingRow(name).optional !== true);
/** What a new lab says. */
export const newLabSettings = (): Pick<TrainingSettings, Exclude<TrainingSetting, OptionalSetting>> =>
  // The defaults of the rows that are not optional, each of its own schema's type (settings.test.ts).
  Object.fromEntries(required.map((name) => [name, settingRow(name).default])) as TrainingSettings;

/** What an experiment says of its training. */
export type GivenSettings = { readonly [K in TrainingSetting]?: TrainingSettings[K] | undefined };

/** All settings with the values in force: where the experiment says nothing, what the trainer does by itself. */
export function settingsOf(given: GivenSettings): TrainingSettings {
  // Every value is what the experiment says or its row's default, both of the row's schema.
  return forEach((name, row) => given[name] ?? row.default) as TrainingSettings;
}

/** Whether the trainer would do the same by default. */
export const isDefault = (name: TrainingSetting, value: SettingValue): boolean =>
  settingRow(name).optional === true && String(value).trim() === String(settingRow(name).default);

/**
 * The trainer's arguments: all that every lab says, and of the rest what is not as the trainer would do by itself.
 * @param settings with the values of this rank, where they are not the experiment's (its share of the batch)
 */
export function settingArguments(settings: TrainingSettings): string[] {
  return trainingSettings.flatMap((name) => {
    const { flag, kind } = settingRow(name);
    const value = settings[name];
    if (flag === undefined || isDefault(name, value)) return [];
    return kind === 'switch' ? [flag] : [flag, String(value).trim()];
  });
}

/** What each setting is called. */
export const settingLabels = (language: Language): Record<TrainingSetting, string> =>
  forEach((_, { words }) => words[language].label);

export interface ExcludedSetting {
  readonly name: TrainingSetting;
  readonly code: ExclusionCode;
}

/** Settings that do not go with the others, as native/src/combinations.cpp has it. */
export function excludedSettings(settings: JudgedSettings): ExcludedSetting[] {
  return trainingSettings.flatMap((name) =>
    (settingRow(name).exclusions ?? []).flatMap(({ code, excluded }) =>
      // The general row has a code of any text; those of the table are these.
      excluded(settings) ? [{ name, code: code as ExclusionCode }] : [],
    ),
  );
}

/** The settings of a section of the inspector, line by line: halves that follow each other share one. */
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

/** The values of a choice, in the order of its schema. */
export const choiceValues = ({ schema }: ChoiceRow): readonly (string | number)[] =>
  schema instanceof z.ZodEnum ? schema.options : [...schema.values];
