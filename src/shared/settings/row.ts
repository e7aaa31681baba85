/** What one row of the table of training settings says: from it everything that names a setting is derived. Types alone. */
import type { z } from 'zod';
import type { Language } from '../base/language.ts';

export type SettingValue = string | number | boolean;

interface SettingWords {
  readonly label: string;
  /** Below the field. */
  readonly help?: string;
  /** In an empty text field: what is done without a value. */
  readonly none?: string;
  /** What each value of a choice is called; a switch has `off` and `on`. */
  readonly choices?: Readonly<Record<string, string>>;
}

/** The values that rules between settings look at. A rule that needs another one adds it here. */
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

/** A combination that the trainer refuses (native/src/combinations.cpp); the message stands at this row's field. */
interface Exclusion {
  /** A code of `LabIssueCode`. */
  readonly code: string;
  readonly excluded: (all: JudgedSettings) => boolean;
}

/** Where the inspector shows the setting, in the order of the table. `own`: a field that is made for it alone. */
export interface SettingField {
  readonly section: 'basic' | 'more' | 'own';
  /** Two halves that follow each other share a line. */
  readonly half?: true;
  readonly unit?: 'epochs';
  /** Without it always. */
  readonly shown?: (all: JudgedSettings) => boolean;
}

interface Row {
  readonly schema: z.ZodType<SettingValue>;
  /**
   * Of a setting that every lab has, what a new lab says. Of the others (`optional`), what the trainer does where nothing is
   * set: a lab that says nothing means this.
   */
  readonly default: SettingValue;
  readonly optional?: true;
  /** From a value that labs were saved with earlier to one of the schema; any other as it is. */
  readonly earlier?: (value: unknown) => unknown;
  /** The trainer's option. None: the setting becomes no option of its own. */
  readonly flag?: `-${string}`;
  /** In the names of a sweep's runs, as the option is called, in every language. Empty: the value says it by itself. */
  readonly short: string;
  readonly words: Readonly<Record<Language, SettingWords>>;
  /** A sweep may vary it. */
  readonly swept?: true;
  /** Runs are not compared by it: it changes nothing in what is learned or how fast. */
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
/** A value of another shape, which has a field of its own. */
interface OtherRow extends Row {
  readonly kind: 'other';
}
export type SettingRow = NumberRow | TextRow | ChoiceRow | SwitchRow | OtherRow;
