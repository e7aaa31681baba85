/**
 * The network cost of each mode of synchronisation: the trainer's collectives (native/sync, native/PROTOCOL.md)
 * counted as Gloo implements them. Pure; in payload bytes, which estimate.ts converts to seconds.
 */
import type { ModelShapes } from './model-shapes.ts';
import { parseSyncMode, type ReadMode } from '../settings/index.ts';

/** How many numbers PowerSGD sends as factors and how many uncompressed: the rule of native/sync/power_sgd.cpp. */
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

/** The cost of one exchange of all parameters or gradients. */
export interface ExchangeCost {
  /** Bytes that each rank sends to the next one in the ring. */
  readonly ringBytes: number;
  /** Bytes that each rank sends to each other rank directly. */
  readonly pairBytes: number;
  /** Messages that depend on one another. */
  readonly rounds: number;
  /** Delays of the network that follow one another. */
  readonly delays: number;
  /** The share of ringBytes and pairBytes that can be sent only after backward. */
  readonly lastShare: number;
  /** Numbers that each rank encodes and decodes. */
  readonly codedNumbers: number;
  /** Bytes that cross between a GPU and its CPU, where a rank has one; 0: none, or none that wait. */
  readonly gpuCopyBytes: number;
}

export const nothing: ExchangeCost = {
  ringBytes: 0,
  pairBytes: 0,
  rounds: 0,
  delays: 0,
  lastShare: 0,
  codedNumbers: 0,
  gpuCopyBytes: 0,
};

/** The cost of synchronisation, and how often it occurs. */
export interface SyncCost {
  readonly exchange: ExchangeCost;
  /** What a run exchanges once, at its end, when no step is left to hide it. */
  readonly last?: ExchangeCost;
  /** Local steps between two exchanges of the same parameter; 1: every step. */
  readonly period: number;
  /** Steps of computation that can overlap an exchange: 0 none, 1 with `late`. */
  readonly overlapSteps: number;
  /** Whether an exchange overlaps the backward pass of its own step. */
  readonly besideBackward: boolean;
  /** Of the steps, those whose flags are exchanged: a step that ends before its exchange does has none. */
  readonly flagged: number;
}

const bucketBytes = 25 * 1024 * 1024;

/**
 * Undefined for an invalid mode. `ranks` is at least 2.
 * @param text as in `--sync`
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
      flagged: 1,
    };
  }
  return {
    exchange: exchangeOf(wire, model, ranks, mode.fragments),
    // StreamedAverage's average_exactly().
    ...(wire.form === 'stream'
      ? { last: exchangeOf({ form: 'coded', bits: 4, scaleBytes }, model, ranks, 1) }
      : {}),
    period: mode.period,
    overlapSteps: mode.overlap * mode.fragments,
    besideBackward: false,
    // Where fragments overlap, those in which one lands.
    flagged:
      Math.max(mode.fragments, mode.period - mode.fragments * Math.max(0, mode.overlap - 1)) / mode.period,
  };
}

/** DistributedDataParallel's gradient buckets: 1 MB, then 25 MB each. */
const bucketsOf = (model: ModelShapes): number =>
  model.lastBucketBytes === 4 * model.parameters
    ? 1
    : 1 + Math.max(1, Math.ceil((4 * model.parameters - 2 ** 20) / bucketBytes));

/**
 * Of one message: Gloo sends it when the receiver has announced a place for it, which ranks that follow one another do no earlier than
 * the message before has arrived. Measured: measured-steps.fixture.ts.
 */
export const delaysOfMessage = 2;
/** Of a process group, each with one collective at a time: native/comm/collectives/groups.cpp. */
const glooThreads = 2;

/**
 * Of batch norms over all ranks in a step of `batches` micro-batches (native/models/layers/batch_norm.cpp): each gathers
 * means, variances and counts, and sums two numbers a channel in backward. Computing waits for each of them.
 */
export function normsCost(model: ModelShapes, ranks: number, batches: number): ExchangeCost {
  const { layers, channels } = model.norms;
  const others = ranks - 1;
  const hasBackward = model.passes > 1;
  const gathered = others * 4 * (2 * channels + layers);
  const summed = hasBackward ? ((2 * others) / ranks) * 4 * 2 * channels : 0;
  const rounds = batches * layers * others * (hasBackward ? 3 : 1);
  return {
    ...nothing,
    ringBytes: batches * (gathered + summed),
    rounds,
    delays: rounds * delaysOfMessage,
  };
}

type Form =
  | { readonly form: 'plain' | 'half' }
  | { readonly form: 'coded'; readonly bits: number; readonly scaleBytes: number }
  | { readonly form: 'powersgd'; readonly rank: number; readonly half: boolean }
  | { readonly form: 'topk'; readonly fraction: number }
  | { readonly form: 'stream'; readonly bits: number };

/** Of a streamed average's message, beside its values: native/sync/stream/stream_codec.h. */
const streamedHeaderBytes = (model: ModelShapes): number => {
  const matrices = model.matrices.reduce((sum, { count }) => sum + count, 0);
  return 4 * (1 + 14 + matrices) + 12;
};
/** The share of a streamed average's messages that is not their headers. */
export const streamedValueShare = (model: ModelShapes, bits: number, ranks: number): number =>
  Math.max(0, 1 - (8 * ranks * streamedHeaderBytes(model)) / (bits * model.parameters));

/** Bytes of a vector's value in a streamed average. */
const streamedVectorBytes = 2;
/**
 * Most values are only compared with a threshold there: the share of encoding all, native/sync/stream. 35 to 50 ms of
 * processor time were measured for 11.7 million.
 */
const streamedShare = 0.28;

/** A block's float32 scale as bytes for each value: native/sync/codec.h. */
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
    case 'stream':
      return { form: 'stream', bits };
  }
}

/** @param messages the buckets or fragments that are sent one after another */
function exchangeOf(wire: Form, model: ModelShapes, ranks: number, messages: number): ExchangeCost {
  const ringShare = (2 * (ranks - 1)) / ranks;
  const lastShare = Math.min(1, model.lastBucketBytes / (4 * model.parameters));
  switch (wire.form) {
    case 'plain':
      return {
        ringBytes: ringShare * 4 * model.parameters,
        pairBytes: 0,
        rounds: 2 * (ranks - 1) * messages,
        // Two at a time, of which the step's flags are the first: they come last where the buckets are paired.
        delays:
          (2 * (ranks - 1) * Math.ceil(messages / glooThreads) + (messages % glooThreads === 0 ? 1 : 0)) *
          delaysOfMessage,
        lastShare,
        codedNumbers: 0,
        gpuCopyBytes: 0,
      };
    case 'half':
      return {
        ...codedMean(2 * model.parameters, ranks, messages),
        lastShare,
        codedNumbers: model.parameters,
        gpuCopyBytes: 0,
      };
    case 'coded': {
      // Only matrices are compressed; vectors are sent uncompressed in their own all-reduce.
      const coded = model.parameters - model.vectors;
      const mean = codedMean(coded * (wire.bits / 8 + wire.scaleBytes), ranks, messages);
      return {
        ...mean,
        ringBytes: mean.ringBytes + ringShare * 4 * model.vectors,
        ...inTurn(mean.rounds + 2 * (ranks - 1) * messages),
        lastShare,
        codedNumbers: model.parameters,
        gpuCopyBytes: 0,
      };
    }
    case 'powersgd': {
      const { left, right, plain } = powerSgdNumbers(model, wire.rank);
      const numbers = left + right + plain;
      const coded = { lastShare: 1 / messages, codedNumbers: model.parameters, gpuCopyBytes: 0 };
      return wire.half
        ? { ...codedMean(2 * numbers, ranks, 2 * messages), ...coded }
        : {
            ringBytes: ringShare * 4 * numbers,
            pairBytes: 0,
            ...inTurn(4 * (ranks - 1) * messages),
            ...coded,
          };
    }
    case 'stream': {
      // Vectors take at most half of all bits: native/sync/streamed/streamed_average.h.
      const vectors = streamedVectorBytes * model.vectors;
      const all = (wire.bits * model.parameters) / 8;
      // Every rank's chunk is a message with a header.
      const min = vectors + ranks * streamedHeaderBytes(model);
      return {
        ...codedMean(Math.max(all, all / 2 + vectors, min), ranks, messages),
        lastShare,
        codedNumbers: streamedShare * model.parameters,
        // Weights to the CPU, and back with what has arrived.
        gpuCopyBytes: 2 * 4 * model.parameters,
      };
    }
    case 'topk': {
      // Four bytes for each chosen value and four for each block of 65,536; an all-gather sends every rank's to all.
      const bytes = 4 * wire.fraction * model.parameters + 4 * Math.ceil(model.parameters / 65_536);
      return {
        ringBytes: (ranks - 1) * bytes,
        pairBytes: 0,
        ...inTurn((ranks - 1) * messages),
        lastShare,
        codedNumbers: model.parameters,
        gpuCopyBytes: 0,
      };
    }
  }
}

/** native/sync/coded_average.h: chunks to every other rank, then an all-gather of the chunks' means in the ring. */
function codedMean(
  bytes: number,
  ranks: number,
  messages: number,
): Pick<ExchangeCost, 'ringBytes' | 'pairBytes' | 'rounds' | 'delays'> {
  return {
    ringBytes: ((ranks - 1) * bytes) / ranks,
    pairBytes: bytes / ranks,
    ...inTurn(ranks * messages),
  };
}

/** Messages of which each waits for the one before. */
const inTurn = (rounds: number): Pick<ExchangeCost, 'rounds' | 'delays'> => ({
  rounds,
  delays: rounds * delaysOfMessage,
});
