/**
 * The pyramid of a column: for each bucket of rows the number of points and gaps, the sum of the values, and the
 * lowest, the highest and the first gap with their x on every axis. A curve of millions of points can be drawn from a
 * few thousand records, and each drawn point is a real one.
 */
import { absent, gap } from './block.ts';

/** x of a row on each axis, in this order everywhere. */
export const axes = ['step', 'epoch', 't'] as const;
export type Axis = (typeof axes)[number];

/** Places in a record. A place of a point is followed by its three x values. */
export const record = {
  count: 0,
  gaps: 1,
  min: 2,
  minX: 3,
  max: 6,
  maxX: 7,
  gapX: 10,
  /** Of the finite values; not finite itself where that overflows. */
  sum: 13,
  size: 14,
} as const;

export interface AxisColumns {
  readonly step: ArrayLike<number>;
  readonly epoch: ArrayLike<number>;
  readonly t: ArrayLike<number>;
}

/** One record for rows [from, to) of `values`. */
export function summarise(
  values: ArrayLike<number>,
  x: AxisColumns,
  from: number,
  to: number,
  into: Float64Array,
  at: number,
): void {
  let count = 0;
  let gaps = 0;
  let sum = 0;
  let lowest = -1;
  let highest = -1;
  let firstGap = -1;
  for (let row = from; row < to; row += 1) {
    const value = values[row] ?? absent;
    if (Number.isNaN(value)) continue;
    count += 1;
    if (value === gap) {
      gaps += 1;
      if (firstGap < 0) firstGap = row;
    } else {
      sum += value;
      if (lowest < 0 || value < (values[lowest] ?? absent)) lowest = row;
      if (highest < 0 || value > (values[highest] ?? absent)) highest = row;
    }
  }
  into[at + record.count] = count;
  into[at + record.gaps] = gaps;
  into[at + record.sum] = sum;
  into[at + record.min] = lowest < 0 ? absent : (values[lowest] ?? absent);
  into[at + record.max] = highest < 0 ? absent : (values[highest] ?? absent);
  place(x, lowest, into, at + record.minX);
  place(x, highest, into, at + record.maxX);
  place(x, firstGap, into, at + record.gapX);
}

function place(x: AxisColumns, row: number, into: Float64Array, at: number): void {
  into[at] = row < 0 ? absent : (x.step[row] ?? absent);
  into[at + 1] = row < 0 ? absent : (x.epoch[row] ?? absent);
  into[at + 2] = row < 0 ? absent : (x.t[row] ?? absent);
}

/** Merges the record at `from[at]` into the one at `into[to]`, which must be before it in row order. */
export function mergeRecord(into: Float64Array, to: number, from: ArrayLike<number>, at: number): void {
  const get = (index: number): number => from[at + index] ?? absent;
  const had = (index: number): number => into[to + index] ?? absent;
  if (get(record.gaps) > 0 && !(had(record.gaps) > 0))
    copy(into, to + record.gapX, from, at + record.gapX, 3);
  into[to + record.count] = had(record.count) + get(record.count);
  into[to + record.gaps] = had(record.gaps) + get(record.gaps);
  into[to + record.sum] = had(record.sum) + get(record.sum);
  if (get(record.min) < had(record.min) || Number.isNaN(had(record.min)))
    copy(into, to + record.min, from, at + record.min, 4);
  if (get(record.max) > had(record.max) || Number.isNaN(had(record.max)))
    copy(into, to + record.max, from, at + record.max, 4);
}

function copy(into: Float64Array, to: number, from: ArrayLike<number>, at: number, length: number): void {
  for (let i = 0; i < length; i += 1) into[to + i] = from[at + i] ?? absent;
}

export function emptyRecord(): Float64Array {
  const made = new Float64Array(record.size).fill(absent);
  made[record.count] = 0;
  made[record.gaps] = 0;
  made[record.sum] = 0;
  return made;
}

/** The mean of a record's finite values; the middle of its extremes where their sum overflows. */
export function meanOf(of: ArrayLike<number>): number {
  const get = (at: number): number => of[at] ?? absent;
  const mean = get(record.sum) / (get(record.count) - get(record.gaps));
  return Number.isFinite(mean) ? mean : get(record.min) / 2 + get(record.max) / 2;
}

/** Records of a full block, one for each bucket. */
export function summariseBlock(values: Float64Array, x: AxisColumns, bucket: number): Float64Array {
  const records = new Float64Array((values.length / bucket) * record.size);
  for (let from = 0, at = 0; from < values.length; from += bucket, at += record.size) {
    summarise(values, x, from, from + bucket, records, at);
  }
  return records;
}

/** One record for all of `records`. */
export function mergeAll(records: Float64Array): Float64Array {
  const whole = emptyRecord();
  for (let at = 0; at < records.length; at += record.size) mergeRecord(whole, 0, records, at);
  return whole;
}
