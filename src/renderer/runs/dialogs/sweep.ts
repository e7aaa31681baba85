/** Parses the user's input for a sweep into runs: one or two settings, each with its values. Pure functions. */
import type * as z from 'zod';
import type { Language } from '../../../shared/base/language.ts';
import { maxQueued, type RequestArgs } from '../../../shared/contract/api.ts';
import { findArchitecture } from '../../../shared/lab/architectures.ts';
import { rankCount } from '../../../shared/lab/lab-check.ts';
import { Experiment, type LabDocument } from '../../../shared/lab/lab.ts';
import {
  choiceValues,
  parseSyncMode,
  settingRow,
  sweptSettings,
  type SweptSetting,
} from '../../../shared/settings/index.ts';
import { checkNumber, isWhole } from '../../ui/index.ts';

/** The settings that are varied most often come first. */
const offeredFirst: readonly SweptSetting[] = ['learningRate', 'batchSize', 'sync'];
/** Settings that take single values. */
export const sweptNames: readonly SweptSetting[] = [...new Set([...offeredFirst, ...sweptSettings])];
export type SweptName = SweptSetting;

export interface SweptAxis {
  readonly name: SweptName;
  /** Separated by spaces or commas; synchronisation modes, which contain commas, by spaces. */
  readonly text: string;
}

export type Values =
  | { readonly ok: true; readonly values: readonly (string | number)[] }
  /** The first text that is not a valid value of this setting, or may be one or two; empty if there is no text. */
  | { readonly ok: false; readonly word: string; readonly isOneOrTwo?: true };

/** Whole numbers with a comma between them: '0,0001' is a value with a decimal comma to some, 0 and 1 to others. */
const maybeDecimal = /(?:^|,)([+-]?\d+,\d+(?:e[+-]?\d+)?)(?:,|$)/i;
/** '1,024' is one whole number to some, and 1 and 24 to others: whole words of three digits each, or digits that begin with 0. */
const maybeThousands = [/^([+-]?\d{1,3}(?:,\d{3})+),*$/, /(?:^|[,，])(\d+[,，]0\d+)(?:[,，]|$)/];

/** The numbers that the setting takes, alone or beside words. */
function numbersOf(name: SweptName): z.ZodType<number> | undefined {
  if (name === 'processesPerNode') return Experiment.shape[name].options[1];
  const row = settingRow(name);
  return row.kind === 'number' ? row.schema : undefined;
}

export function parseValues({ name, text }: SweptAxis): Values {
  const names = namesOf(name);
  const parts = wordsOf(name, text, names);
  if (parts.length === 0) return { ok: false, word: '' };
  const numbers = numbersOf(name);
  if (numbers !== undefined) {
    const word = oneOrTwo(text, isWhole(numbers));
    if (word !== undefined) return { ok: false, word, isOneOrTwo: true };
  }
  const values: (string | number)[] = [];
  for (const word of parts) {
    const value = names.get(asName(word)) ?? (numbers === undefined ? word : numberIn(word, numbers));
    if (value === undefined || !isValue(name, value)) return { ok: false, word };
    if (!values.includes(value)) values.push(value);
  }
  return { ok: true, values };
}

function numberIn(word: string, schema: z.ZodType<number>): number | undefined {
  const number = checkNumber(schema, word);
  return number.ok ? number.value : undefined;
}

/** The labels of a choice in the window's language: what may be typed. Undefined for another setting. */
export function choicesOf(name: SweptName, language: Language): readonly string[] | undefined {
  const row = settingRow(name);
  if (row.kind !== 'choice') return undefined;
  return choiceValues(row).map((value) => row.words[language].choices?.[value] ?? String(value));
}

type Names = ReadonlyMap<string, string | number>;

/** Words are compared without case and width. */
const asName = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The values by all of their names: as they are stored, and as the window shows them in either language. */
function namesOf(name: SweptName): Names {
  if (name === 'processesPerNode') return new Map([['auto', 'auto']]);
  const row = settingRow(name);
  if (row.kind !== 'choice') return new Map();
  return new Map(
    choiceValues(row).flatMap((value) =>
      [
        String(value),
        ...Object.values(row.words).map(({ choices }) => choices?.[value] ?? String(value)),
      ].map((one): [string, string | number] => [asName(one), value]),
    ),
  );
}

/** What stands between separators; the name of a choice may contain some. */
function wordsOf(name: SweptName, text: string, names: Names): readonly string[] {
  if (name === 'sync') return text.split(/[\s;，；、]+/).filter(Boolean);
  if (settingRow(name).kind !== 'choice') return text.split(/[\s,;，；、]+/).filter(Boolean);
  const longestFirst = [...names.keys()].toSorted((a, b) => b.length - a.length);
  const known = longestFirst.map((one) => one.replaceAll(/[().]/g, String.raw`\$&`)).join('|');
  return asName(text).match(new RegExp(`(?:${known})(?=[\\s,;、]|$)|[^\\s,;、]+`, 'g')) ?? [];
}

/** The first of the numbers whose comma may be within it or behind it. */
function oneOrTwo(text: string, whole: boolean): string | undefined {
  const patterns = whole ? maybeThousands : [maybeDecimal];
  for (const written of inHalfDigits(text).split(whole ? /[\s;；、]+/ : /[\s;，；、]+/))
    for (const pattern of patterns) {
      const word = pattern.exec(written)?.[1];
      if (word !== undefined) return word;
    }
  return undefined;
}

/** Chinese input methods write digits in full width; their comma separates values. */
const inHalfDigits = (text: string): string =>
  text.replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0));

function isValue(name: SweptName, value: string | number): boolean {
  if (!Experiment.shape[name].safeParse(value).success) return false;
  if (name === 'sync') return value === 'auto' || parseSyncMode(String(value)) !== undefined;
  return name !== 'architecture' || findArchitecture(String(value)) !== undefined;
}

/** One change for each run: every value of the first setting with every value of the second. */
export function changesOf(axes: readonly SweptAxis[]): RequestArgs<'run.queue'>['changes'] | undefined {
  let changes: Record<string, string | number>[] = [{}];
  for (const axis of axes) {
    const parsed = parseValues(axis);
    if (!parsed.ok) return undefined;
    changes = changes.flatMap((change) => parsed.values.map((value) => ({ ...change, [axis.name]: value })));
  }
  if (changes.length > maxQueued) return undefined;
  return changes.map((change) => Experiment.partial().parse(change));
}

/** If the drawn nodes have only one rank, this many ranks on the node represent its GPUs, like DataParallel's two replicas. */
const ranksOfOneNode = 2;

/**
 * The comparison of the DataParallel tutorial: one process, DataParallel, ranks (DistributedDataParallel), and these with
 * four times the batch. The first is the baseline.
 */
export function waysInParallel(lab: LabDocument): RequestArgs<'run.queue'>['changes'] {
  const ranks = { ...lab, experiment: { ...lab.experiment, parallel: 'ddp' as const } };
  const ddp = {
    parallel: 'ddp' as const,
    ...(rankCount(ranks) > 1 ? {} : { processesPerNode: ranksOfOneNode }),
  };
  // With a single process there are no ranks to normalise over.
  const alone = lab.experiment.syncBatchNorm === true ? { syncBatchNorm: false } : {};
  return [
    { parallel: 'none', ...alone },
    { parallel: 'dp', ...alone },
    ddp,
    { ...ddp, batchSize: 4 * lab.experiment.batchSize },
  ];
}
