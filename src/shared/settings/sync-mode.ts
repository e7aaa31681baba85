/** Parses the trainer's `--sync` modes: `powersgd:2`, `diloco:8,4bit`. Equal to native/sync/mode.cpp. */
import {
  fractionLimits,
  rankLimits,
  stepLimits,
  syncKinds,
  syncRow,
  type Compression,
  type Limits,
  type SyncKind,
} from './sync-modes.ts';

export interface SyncMode {
  readonly kind: SyncKind;
  /** The number after the colon, or its default: PowerSGD's rank, top-k's fraction, the local steps between two averages. */
  readonly value?: number;
  /** The parts after commas, unparsed: `late`, `fragments=4`. */
  readonly parts: readonly string[];
}

/** A fully parsed mode, in the trainer's terms. */
export interface ReadMode extends SyncMode {
  /** True: local steps, then an average of the parameters' changes; false: the mean gradient of every step. */
  readonly outer: boolean;
  readonly compression: Compression;
  /** The part that sets `compression`, unparsed; absent where the kind implies it. */
  readonly form?: string;
  /** PowerSGD's rank. */
  readonly rank: number;
  readonly halfFactors: boolean;
  /** Top-k's fraction. */
  readonly fraction: number;
  /** Sparse and stream: bits for each value. */
  readonly bits: number;
  /** Steps at the beginning with a plain all-reduce. */
  readonly start: number;
  /** Each average is applied one step late. */
  readonly late: boolean;
  /** Local steps between two averages of the same parameter. */
  readonly period: number;
  readonly outerLearningRate: number;
  readonly outerMomentum: number;
  readonly fragments: number;
  readonly overlap: number;
  readonly qsr: number;
  /** Stream: bits and period follow what the ranks see of their exchanges, up to so many bits; 0: they stay. */
  readonly adapt: number;
}

/** Compressions offered for the changes of local steps, from the most exact to the least. */
export const syncForms = ['fp32', 'fp16', '8bit', '4bit', 'stream=0.145', 'sparse=0.45'] as const;

/** Parses a number as C++'s `from_chars` does, within its limits. */
function numberIn(text: string, { low, high, whole }: Limits): number | undefined {
  const form = whole ? /^-?\d+$/ : /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
  const value = Number(text);
  return form.test(text) && value >= low && value <= high ? value : undefined;
}

const streamBits: Limits = { low: 0.01, high: 4, whole: false };

/** Parses one part after a comma; undefined where it is unknown or its number is out of range. */
function readPart(mode: ReadMode, part: string): Partial<ReadMode> | undefined {
  const [key = '', value] = part.split(/=(.*)/s, 2);
  const number = <Name extends keyof ReadMode>(
    name: Name,
    limits: Limits,
  ): Partial<Record<Name, number>> | undefined => {
    const found = numberIn(value ?? '', limits);
    // The compiler cannot infer that a computed key is the name.
    return found === undefined ? undefined : ({ [name]: found } as Partial<Record<Name, number>>);
  };
  const half = part === 'fp16' && mode.compression === 'powersgd' ? { halfFactors: true } : undefined;
  if (key === 'start' && value !== undefined) return number('start', { ...stepLimits, low: 0 });
  if (!mode.outer) return part === 'late' ? { late: true } : half;
  if (half !== undefined) return half;
  const plain = plainForms[part];
  if (plain !== undefined) return { compression: plain, form: part };
  if (/^[\d.]+$/.test(part)) {
    const rank = numberIn(part, rankLimits);
    return rank === undefined ? undefined : { compression: 'powersgd', rank, form: part };
  }
  if (value === undefined) return undefined;
  const formed = (compression: Compression, read: Partial<ReadMode> | undefined) =>
    read === undefined ? undefined : { ...read, compression, form: part };
  switch (key) {
    case 'topk':
      return formed('topk', number('fraction', fractionLimits));
    case 'sparse':
    case 'stream':
      return formed(key, number('bits', streamBits));
    case 'outer_lr':
      return number('outerLearningRate', { low: 1e-6, high: 100, whole: false });
    case 'outer_momentum':
      return number('outerMomentum', { low: 0, high: 0.999, whole: false });
    case 'fragments':
      return number('fragments', { low: 1, high: 1024, whole: true });
    case 'overlap':
      return number('overlap', { ...stepLimits, low: 0 });
    case 'qsr':
      return number('qsr', { low: 0, high: 1e6, whole: false });
    case 'adapt':
      return number('adapt', streamBits);
    default:
      return undefined;
  }
}

const plainForms: Readonly<Record<string, Compression | undefined>> = {
  fp32: 'none',
  fp16: 'fp16',
  bf16: 'bf16',
  '8bit': 'int8',
  '4bit': 'int4',
};

/** Undefined for what the trainer refuses. `auto` is accepted, too, although the trainer never receives it. */
export function parseSyncMode(text: string): ReadMode | undefined {
  const [, name = '', number, rest = ''] = /^([a-z0-9]+)(?::([^,]*))?((?:,[^,]*)*)$/.exec(text) ?? [];
  const kind = syncKinds.find((one) => one === name);
  if (kind === undefined) return undefined;
  const row = syncRow(kind);
  const parts = rest.split(',').slice(1);
  const value = number === undefined ? row.value?.default : row.value && numberIn(number, row.value);
  if (number === undefined ? row.value?.needed === true : value === undefined) return undefined;
  if (parts.length > 0 && !row.parts) return undefined;
  let mode: ReadMode = {
    kind,
    ...(value === undefined ? {} : { value }),
    parts,
    outer: row.averages === 'outer',
    compression: row.compression,
    rank: row.compression === 'powersgd' && value !== undefined ? value : 2,
    halfFactors: false,
    fraction: row.compression === 'topk' && value !== undefined ? value : 0.001,
    bits: 0.5,
    start: 0,
    late: false,
    period: row.averages === 'outer' ? (value ?? 1) : 1,
    outerLearningRate: row.outer?.learningRate ?? 1,
    outerMomentum: row.outer?.momentum ?? 0,
    fragments: 1,
    overlap: 0,
    qsr: 0,
    adapt: 0,
  };
  for (const part of parts) {
    const read = readPart(mode, part);
    if (read === undefined) return undefined;
    mode = { ...mode, ...read };
  }
  if (mode.compression === 'stream') {
    const { outerLearningRate, outerMomentum, fragments, start, qsr } = mode;
    const plain =
      outerLearningRate === 1 && outerMomentum === 0 && fragments === 1 && start === 0 && qsr === 0;
    // What does not overlap cannot be hidden, however little it is.
    const hides = mode.adapt === 0 || mode.overlap > 0;
    return plain && hides && mode.overlap <= mode.period ? mode : undefined;
  }
  if (mode.adapt > 0) return undefined;
  // A fragment must have arrived before the next one is sent.
  if (mode.outer && mode.fragments > mode.period) return undefined;
  if (mode.overlap > 0 && mode.overlap * mode.fragments >= mode.period) return undefined;
  return mode;
}

/** Whether the mode keeps or delays a part of the gradients: fp16's scaler must not skip a step then. */
export const remembersGradients = (mode: ReadMode): boolean =>
  mode.outer || mode.late || mode.compression === 'powersgd' || mode.compression === 'topk';

export const formatSyncMode = ({ kind, value, parts }: SyncMode): string =>
  [value === undefined ? kind : `${kind}:${value}`, ...parts].join(',');
