/** Parses the user's input for a sweep into runs: one or two settings, each with its values. Pure functions. */
import { maxQueued, type RequestArgs } from '../../../shared/contract/api.ts';
import { findArchitecture } from '../../../shared/lab/architectures.ts';
import { rankCount } from '../../../shared/lab/lab-check.ts';
import { Experiment, type LabDocument } from '../../../shared/lab/lab.ts';
import { settingRow, sweptSettings, type SweptSetting } from '../../../shared/settings/index.ts';
import { parseSyncMode } from '../../../shared/settings/index.ts';
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

export function parseValues({ name, text }: SweptAxis): Values {
  const parts = text.split(name === 'sync' ? /[\s;，；、]+/ : /[\s,;，；、]+/).filter(Boolean);
  if (parts.length === 0) return { ok: false, word: '' };
  const row = settingRow(name);
  if (row.kind === 'number') {
    const word = oneOrTwo(text, isWhole(row.schema));
    if (word !== undefined) return { ok: false, word, isOneOrTwo: true };
  }
  const values: (string | number)[] = [];
  for (const word of parts) {
    const number = row.kind === 'number' ? checkNumber(row.schema, word) : undefined;
    if (number?.ok === false) return { ok: false, word };
    const value = number?.value ?? (Number.isNaN(Number(word)) ? word : Number(word));
    if (!isValue(name, value)) return { ok: false, word };
    if (!values.includes(value)) values.push(value);
  }
  return { ok: true, values };
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
