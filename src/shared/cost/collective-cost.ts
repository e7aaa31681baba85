/**
 * What a way of synchronising puts on the network: the trainer's collectives (native/sync, native/PROTOCOL.md) counted as
 * Gloo makes them. Pure; bytes are payload, seconds come in estimate.ts.
 */
import { architectureShapes } from './architecture-shapes.ts';
import { parseSyncMode, type ReadMode } from '../settings/index.ts';

/** The parameters of a model as an exchange sees them. */
export interface ModelShapes {
  /** Tensors of two dimensions and more, rows being the first one. */
  readonly matrices: readonly { readonly rows: number; readonly columns: number; readonly count: number }[];
  /** Numbers in tensors of one dimension. */
  readonly vectors: number;
  readonly parameters: number;
  /** Multiplications for one picture of `atSize` pixels a side, forward. */
  readonly multiplications: number;
  readonly atSize: number;
  /** Bytes of gradients that are complete only when backward ends. */
  readonly lastBucketBytes: number;
}

const known = new Map<string, ModelShapes>();

/** Undefined for an architecture that is not known. */
export function modelShapes(architecture: string, classes: number): ModelShapes | undefined {
  const key = `${architecture} ${classes}`;
  const row = architectureShapes[architecture];
  if (row === undefined) return undefined;
  let shapes = known.get(key);
  if (shapes === undefined) {
    const [millions, lastBucketBytes, plain, classVectors, text] = row;
    const matrices = text.split(' ').map((word) => {
      const [, count = '1', rows = '', columns = ''] = /^(?:(\d+)\*)?(\d+|k)×(\d+)$/.exec(word) ?? [];
      return {
        rows: rows === 'k' ? classes : Number(rows),
        columns: Number(columns),
        count: Number(count),
      };
    });
    const vectors = plain + classVectors * classes;
    const parameters = matrices.reduce(
      (sum, { rows, columns, count }) => sum + rows * columns * count,
      vectors,
    );
    shapes = {
      matrices,
      vectors,
      parameters,
      multiplications: millions * 1e6,
      atSize: architecture === 'inception_v3' ? 299 : 224,
      lastBucketBytes: Math.min(lastBucketBytes, 4 * parameters),
    };
    known.set(key, shapes);
  }
  return shapes;
}

/** What PowerSGD sends as factors, and what it leaves as it is, in numbers: the rule of native/sync/power_sgd.cpp. */
export function powerSgdNumbers(
  model: ModelShapes,
  rank: number,
): { left: number; right: number; plain: number } {
  const sum = { left: 0, right: 0, plain: model.vectors };
  for (const { rows, columns, count } of model.matrices) {
    const taken = Math.min(rank, rows, columns);
    if (taken * (rows + columns) < rows * columns) {
      sum.left += count * taken * rows;
      sum.right += count * taken * columns;
    } else sum.plain += count * rows * columns;
  }
  return sum;
}

/** What one exchange of all parameters or gradients puts on the network, and what it takes to make ready. */
export interface ExchangeCost {
  /** Bytes that each rank sends to the next one in the ring. */
  readonly ringBytes: number;
  /** Bytes that each rank sends to each other rank directly. */
  readonly pairBytes: number;
  /** Messages that wait for one another: each takes a link's delay. */
  readonly rounds: number;
  /** Of ringBytes and pairBytes together, the share that starts when backward has ended. */
  readonly lastShare: number;
  /** Numbers that are brought into another form and back, for which each rank computes. */
  readonly codedNumbers: number;
}

/** How often and in what form: one step of a synchronisation. */
export interface SyncCost {
  readonly exchange: ExchangeCost;
  /** Local steps between two exchanges of the same parameter; 1: every step. */
  readonly period: number;
  /** Steps of computing behind which an exchange may hide: 0 none, 1 with `late`. */
  readonly overlapSteps: number;
  /** Whether an exchange runs beside the backward of its own step. */
  readonly besideBackward: boolean;
}

const bucketBytes = 25 * 1024 * 1024;

/**
 * Undefined where the mode is none. `ranks` is at least 2.
 * @param text as `--sync` says it
 */
export function syncCost(text: string, model: ModelShapes, ranks: number): SyncCost | undefined {
  const mode = parseSyncMode(text);
  if (mode === undefined || mode.kind === 'auto') return undefined;
  const wire = formOf(mode);
  if (!mode.outer) {
    return {
      exchange: exchangeOf(wire, model, ranks, bucketsOf(model)),
      period: 1,
      overlapSteps: mode.late ? 1 : 0,
      besideBackward: !mode.late,
    };
  }
  return {
    exchange: exchangeOf(wire, model, ranks, mode.fragments),
    period: mode.period,
    overlapSteps: mode.overlap * mode.fragments,
    besideBackward: false,
  };
}

/** The buckets in which DistributedDataParallel's gradients go: 1 MB, then 25 MB each. */
const bucketsOf = (model: ModelShapes): number =>
  1 + Math.max(1, Math.ceil((4 * model.parameters - 2 ** 20) / bucketBytes));

type Form =
  | { readonly form: 'plain' | 'half' }
  | { readonly form: 'coded'; readonly bits: number; readonly scaleBytes: number }
  | { readonly form: 'powersgd'; readonly rank: number; readonly half: boolean }
  | { readonly form: 'topk'; readonly fraction: number };

/** What a block's float32 scale comes to for each value: native/sync/codec.h. */
const scaleBytes = 4 / 256;

function formOf({ compression, rank, halfFactors, fraction, bits }: ReadMode): Form {
  switch (compression) {
    case 'none':
      return { form: 'plain' };
    case 'fp16':
    case 'bf16':
      return { form: 'half' };
    case 'int8':
      return { form: 'coded', bits: 8, scaleBytes };
    case 'int4':
      return { form: 'coded', bits: 4, scaleBytes };
    case 'sparse':
      return { form: 'coded', bits, scaleBytes: 0 };
    case 'powersgd':
      return { form: 'powersgd', rank, half: halfFactors };
    case 'topk':
      return { form: 'topk', fraction };
  }
}

/** @param messages the buckets or fragments in which the parameters go, one after another */
function exchangeOf(wire: Form, model: ModelShapes, ranks: number, messages: number): ExchangeCost {
  const ringShare = (2 * (ranks - 1)) / ranks;
  const lastShare = Math.min(1, model.lastBucketBytes / (4 * model.parameters));
  switch (wire.form) {
    case 'plain':
      return {
        ringBytes: ringShare * 4 * model.parameters,
        pairBytes: 0,
        rounds: 2 * (ranks - 1) * messages,
        lastShare,
        codedNumbers: 0,
      };
    case 'half':
      return {
        ...codedMean(2 * model.parameters, ranks, messages),
        lastShare,
        codedNumbers: model.parameters,
      };
    case 'coded': {
      // Matrices alone; vectors go as they are, in an all-reduce of their own.
      const coded = model.parameters - model.vectors;
      const mean = codedMean(coded * (wire.bits / 8 + wire.scaleBytes), ranks, messages);
      return {
        ...mean,
        ringBytes: mean.ringBytes + ringShare * 4 * model.vectors,
        rounds: mean.rounds + 2 * (ranks - 1) * messages,
        lastShare,
        codedNumbers: model.parameters,
      };
    }
    case 'powersgd': {
      const { left, right, plain } = powerSgdNumbers(model, wire.rank);
      const numbers = left + right + plain;
      const coded = { lastShare: 1 / messages, codedNumbers: model.parameters };
      return wire.half
        ? { ...codedMean(2 * numbers, ranks, 2 * messages), ...coded }
        : {
            ringBytes: ringShare * 4 * numbers,
            pairBytes: 0,
            rounds: 4 * (ranks - 1) * messages,
            ...coded,
          };
    }
    case 'topk': {
      // Four bytes for each chosen value and four for each block of 65,536; every rank's go round to all.
      const bytes = 4 * wire.fraction * model.parameters + 4 * Math.ceil(model.parameters / 65_536);
      return {
        ringBytes: (ranks - 1) * bytes,
        pairBytes: 0,
        rounds: (ranks - 1) * messages,
        lastShare,
        codedNumbers: model.parameters,
      };
    }
  }
}

/** native/sync/coded_average.h: chunks to every other rank, then the means of the chunks round the ring. */
function codedMean(
  bytes: number,
  ranks: number,
  messages: number,
): Pick<ExchangeCost, 'ringBytes' | 'pairBytes' | 'rounds'> {
  return {
    ringBytes: ((ranks - 1) * bytes) / ranks,
    pairBytes: bytes / ranks,
    rounds: ranks * messages,
  };
}
