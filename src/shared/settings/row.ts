/** The type of one row of the table of training settings, from which everything else about a setting is derived. */
import type * as z from 'zod';
import type { Language } from '../base/language.ts';

export type SettingValue = string | number | boolean;

interface SettingWords {
  readonly label: string;
  /** Help text below the field. */
  readonly help?: string;
  /** Placeholder of an empty text field: what happens without a value. */
  readonly none?: string;
  /** The label of each value of a choice; a switch has `off` and `on`. */
  readonly choices?: Readonly<Record<string, string>>;
}

/** The values that rules between settings read. A rule that needs another one adds it here. */
export interface JudgedSettings {
  readonly optimizer: string;
  readonly scheduler: string;
  readonly amp: string;
  readonly syncBatchNorm: boolean;
  readonly freeze: string;
  readonly freezeBatchNorm: boolean;
  readonly backboneLearningRate: number;
  readonly sync: string;
}

/** A combination that the trainer refuses (native/options/combinations.cpp); the message is shown at this row's field. */
interface Exclusion {
  /** A code of `LabIssueCode`. */
  readonly code: string;
  readonly excluded: (all: JudgedSettings) => boolean;
}

/** Where the inspector shows the setting, in the order of the table. `own`: it has a special field. */
export interface SettingField {
  readonly section: 'basic' | 'more' | 'own';
  /** Two consecutive halves share a line. */
  readonly half?: true;
  readonly unit?: 'epochs' | 'seconds';
  /** Condition under which it is shown; default: always. */
  readonly shown?: (all: JudgedSettings) => boolean;
}

interface Row {
  readonly schema: z.ZodType<SettingValue>;
  /**
   * For a required setting, the value in a new lab. For an `optional` one, the trainer's default, which applies to a
   * lab without a value.
   */
  readonly default: SettingValue;
  readonly optional?: true;
  /** Migrates a value of earlier labs to the schema; returns any other unchanged. */
  readonly earlier?: (value: unknown) => unknown;
  /** The trainer's option. Absent: the setting is not an option of its own. */
  readonly flag?: `-${string}`;
  /** The setting in the names of a sweep's runs, the same in every language. Empty: the value alone is clear. */
  readonly short: string;
  readonly words: Readonly<Record<Language, SettingWords>>;
  /** A sweep may vary it. */
  readonly swept?: true;
  /** Not a column of comparisons: it affects neither the result nor the speed. */
  readonly notCompared?: true;
  readonly field: SettingField;
  readonly exclusions?: readonly Exclusion[];
}

interface NumberRow extends Row {
  readonly kind: 'number';
  readonly schema: z.ZodType<number>;
  readonly default: number;
}
interface TextRow extends Row {
  readonly kind: 'text';
  readonly schema: z.ZodType<string>;
  readonly default: string;
}
/** One of a few values, in the order of the schema. */
export interface ChoiceRow extends Row {
  readonly kind: 'choice';
  readonly schema: z.ZodEnum | z.ZodLiteral<string | number>;
}
interface SwitchRow extends Row {
  readonly kind: 'switch';
  readonly schema: z.ZodBoolean;
  readonly default: false;
}
/** A value of another type, with a special field. */
interface OtherRow extends Row {
  readonly kind: 'other';
}
export type SettingRow = NumberRow | TextRow | ChoiceRow | SwitchRow | OtherRow;
