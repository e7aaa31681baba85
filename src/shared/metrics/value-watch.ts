/** Notifications while a run trains: a value that passes a limit. Pure. */
import * as z from 'zod';
import { oneLine } from '../base/plain-text.ts';
import { metricNumber, rankSource, type MetricLine, type Point, type Source } from './metrics.ts';
import { ownGpus } from './own-gpus.ts';

/**
 * `loss`: the steps of rank 0, or of the rank that has its part; `temperature`: any GPU with a rank on it, °C; percentages are
 * 0 to 100; `scalar`: one that a script writes, of any rank.
 */
export const watchedValues = ['top1', 'validationLoss', 'loss', 'temperature', 'scalar'] as const;

export const ValueWatch = z.object({
  value: z.enum(watchedValues),
  /** The name of the scalar. */
  scalar: oneLine(180).optional(),
  /** True: notify at the limit and above; false: at the limit and below. */
  above: z.boolean(),
  limit: z.number().min(-1e12).max(1e12),
});
export type ValueWatch = z.infer<typeof ValueWatch>;
export const maxWatches = 10;

export const PassedLimit = ValueWatch.extend({
  /** The value that passed the limit; `asFinite` of one that is infinite. */
  reached: z.number(),
  /** For a temperature: the node's name and the GPU. */
  where: z.string().max(200).optional(),
});
export type PassedLimit = z.infer<typeof PassedLimit>;

/** An infinite value as it is stored: JSON has none. */
export const asFinite = (value: number): number =>
  Math.max(-Number.MAX_VALUE, Math.min(value, Number.MAX_VALUE));
/** The value of which `asFinite` was stored. */
export const fromFinite = (value: number): number =>
  Math.abs(value) === Number.MAX_VALUE ? value * Number.POSITIVE_INFINITY : value;

export interface Passing {
  readonly t: number;
  /** May be infinite. */
  readonly reached: number;
  readonly source: Source;
  readonly gpu: number | undefined;
}

/** The kinds of lines that values are read from. */
export const watchedLines = ['eval', 'step', 'sample', 'scalar'] as const;

interface Reading {
  readonly value: number;
  readonly gpu: number | undefined;
}

const temperatures = (line: MetricLine): Reading[] =>
  ownGpus(line).flatMap(({ index, temperature_celsius: value }) =>
    value === undefined ? [] : [{ value, gpu: index }],
  );

function readings({ source, line }: Point, { value, scalar }: ValueWatch, first: number): Reading[] {
  if (value === 'scalar') {
    const { values } = line;
    if (line.kind !== 'scalar' || scalar === undefined || typeof values !== 'object' || values === null)
      return [];
    const number = metricNumber(new Map<string, unknown>(Object.entries(values)).get(scalar));
    return number === undefined ? [] : [{ value: number, gpu: undefined }];
  }
  if (value === 'temperature') return line.kind === 'sample' ? temperatures(line) : [];
  // Only one rank writes evaluations: which one, the record may learn after they have arrived.
  const isWatched =
    value === 'loss' ? line.kind === 'step' && source === rankSource(first) : line.kind === 'eval';
  if (!isWatched) return [];
  const number = metricNumber(line[value === 'top1' ? 'top1' : 'loss']);
  return number === undefined ? [] : [{ value: number, gpu: undefined }];
}

/**
 * The first of the points whose value passes the limit.
 * @param first the rank that has rank 0's part
 */
export function passing(watch: ValueWatch, points: readonly Point[], first: number): Passing | undefined {
  for (const point of points) {
    for (const { value, gpu } of readings(point, watch, first)) {
      // NaN is on no side of a limit; an infinite loss is above each.
      if (Number.isNaN(value)) continue;
      if (watch.above ? value >= watch.limit : value <= watch.limit)
        return { t: point.line.t, reached: value, source: point.source, gpu };
    }
  }
  return undefined;
}

export const sameWatch = (a: ValueWatch, b: ValueWatch): boolean =>
  a.value === b.value && a.scalar === b.scalar && a.above === b.above && a.limit === b.limit;
