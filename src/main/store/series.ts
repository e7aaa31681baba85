/**
 * Downsamples a column for drawing: all its points where they are few, else the extremes of the requested number of
 * buckets.
 */
import type { Series } from '../../shared/metrics/metrics.ts';
import { absent, gap } from './block.ts';
import { axes, emptyRecord, mergeRecord, record, summarise, type Axis } from './pyramid.ts';
import type { Column } from './column.ts';
import type { Table } from './table.ts';
import {
  ascendingSpans,
  drawnAxis,
  supersededSpans,
  within,
  without,
  type Cut,
  type Span,
} from './visible.ts';

export interface Ask {
  readonly x: Axis;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly maxPoints: number;
}
type Drawn = Pick<Series, 'x' | 'y' | 'total'>;

/** A record and the rows that it summarises. */
interface Piece {
  /** Index of its ascending span. */
  readonly span: number;
  /** Number of visible rows before it. */
  readonly before: number;
  readonly from: number;
  readonly to: number;
  readonly records: ArrayLike<number>;
  readonly at: number;
}

/** y is `gap` for a value that was not finite. */
class Points {
  readonly x: number[] = [];
  readonly y: number[] = [];

  add(x: number, y: number): void {
    this.x.push(x);
    this.y.push(y);
  }

  /** Ascending by x, in row order for equal x; without duplicates at bucket borders. */
  finish(total: number, exact: boolean): Drawn {
    const order = this.x.map((_, i) => i);
    if (this.x.some((x, i) => i > 0 && x < (this.x[i - 1] ?? x)))
      order.sort((a, b) => (this.x[a] ?? 0) - (this.x[b] ?? 0));
    const drawn: Drawn = { x: [], y: [], total };
    let previous = -1;
    for (const i of order) {
      const repeated =
        !exact && previous >= 0 && this.x[i] === this.x[previous] && this.y[i] === this.y[previous];
      previous = i;
      if (repeated) continue;
      const y = this.y[i] ?? absent;
      drawn.x.push(this.x[i] ?? 0);
      drawn.y.push(y === gap ? null : y);
    }
    return drawn;
  }
}

export function readSeries(table: Table, column: Column, cuts: readonly Cut[], ask: Ask): Drawn {
  const axis = drawnAxis(table, ask.x);
  const taken = supersededSpans(table, axis, cuts);
  const ascending = ascendingSpans(table, axis);
  if (ascending === undefined) return readUnordered(table, column, axis, taken, ask);
  const spans = within(table, axis, without(ascending, taken), ask.from, ask.to);
  const rows = spans.reduce((sum, [from, to]) => sum + to - from, 0);
  const pieces = readPieces(table, column, spans, rows, ask.maxPoints);
  const total = pieces.reduce((sum, { records, at }) => sum + (records[at + record.count] ?? 0), 0);
  const points = new Points();
  if (total <= ask.maxPoints) {
    for (const { from, to } of pieces) eachPoint(table, column, axis, from, to, points);
    return points.finish(total, true);
  }
  const { first, last } = endsOf(table, column, axis, pieces);
  points.add(...first);
  addExtremes(pieces, rows, axis, ask.maxPoints, points);
  points.add(...last);
  return points.finish(total, false);
}

/** Rows for each record at the chosen level: the coarsest with at least one record for every drawn bucket. */
function levelFor(table: Table, rows: number, maxPoints: number): number {
  const { rows: perBlock, bucket } = table.shape;
  const buckets = Math.max(1, Math.floor(maxPoints / 2));
  if (rows / perBlock >= buckets) return perBlock;
  return rows / bucket >= buckets ? bucket : 1;
}

/** Records that cover exactly these spans: coarse ones inside, finer ones at the ends. Skips records without points. */
function readPieces(
  table: Table,
  column: Column,
  spans: readonly Span[],
  rows: number,
  maxPoints: number,
): Piece[] {
  const { rows: perBlock, bucket, fan } = table.shape;
  const level = levelFor(table, rows, maxPoints);
  const grain = Math.max(1, Math.floor(rows / maxPoints / 2));
  const fullRows = table.blocks * perBlock;
  const pieces: Piece[] = [];
  let span = 0;
  let skipped = 0;
  let previousEnd = 0;
  const add = (from: number, to: number, records: ArrayLike<number>, at: number): void => {
    if ((records[at + record.count] ?? 0) > 0)
      pieces.push({ span, before: from - skipped, from, to, records, at });
  };
  let coarse: { no: number; records: ArrayLike<number> } | undefined;
  let fine: { no: number; records: Float64Array | undefined } | undefined;
  for (const [from, to] of spans) {
    span += 1;
    skipped += from - previousEnd;
    previousEnd = to;
    let row = from;
    while (row < to) {
      const no = Math.floor(row / perBlock);
      if (level === perBlock && row % perBlock === 0 && row + perBlock <= Math.min(to, fullRows)) {
        const fanNo = Math.floor(no / fan);
        if (coarse?.no !== fanNo) coarse = { no: fanNo, records: column.coarse(fanNo) };
        add(row, row + perBlock, coarse.records, (no % fan) * record.size);
        row += perBlock;
      } else if (level >= bucket && row % bucket === 0 && row + bucket <= Math.min(to, fullRows)) {
        if (fine?.no !== no) fine = { no, records: column.fine(no) };
        if (fine.records !== undefined)
          add(row, row + bucket, fine.records, ((row % perBlock) / bucket) * record.size);
        row += bucket;
      } else {
        const step = level >= bucket ? bucket : perBlock;
        const end = Math.min(to, (Math.floor(row / step) + 1) * step);
        readRows(table, column, row, end, grain, add);
        row = end;
      }
    }
  }
  return pieces;
}

/** A record for every `grain` rows. */
function readRows(
  table: Table,
  column: Column,
  from: number,
  to: number,
  grain: number,
  add: (from: number, to: number, records: ArrayLike<number>, at: number) => void,
): void {
  eachChunk(table, column, from, to, (values, x, start, first, last) => {
    for (let i = first; i < last; i += grain) {
      const end = Math.min(last, i + grain);
      const made = emptyRecord();
      summarise(values, x, i, end, made, 0);
      add(start + i, start + end, made, 0);
    }
  });
}

type ChunkReader = (
  values: ArrayLike<number>,
  x: { step: ArrayLike<number>; epoch: ArrayLike<number>; t: ArrayLike<number> },
  /** The row of values[0]. */
  start: number,
  first: number,
  last: number,
) => void;

/** Calls `read` with the columns of each block, and of the tail, that rows [from, to) touch. */
function eachChunk(table: Table, column: Column, from: number, to: number, read: ChunkReader): void {
  const { rows: perBlock } = table.shape;
  const fullRows = table.blocks * perBlock;
  for (let no = Math.floor(from / perBlock); no < table.blocks && no * perBlock < to; no += 1) {
    const values = column.block(no);
    if (values === undefined) continue;
    const start = no * perBlock;
    const x = {
      step: table.keyBlock('step', no),
      epoch: table.keyBlock('epoch', no),
      t: table.keyBlock('t', no),
    };
    read(values, x, start, Math.max(0, from - start), Math.min(perBlock, to - start));
  }
  if (to > fullRows) read(column.tail, table.keyTails, fullRows, Math.max(0, from - fullRows), to - fullRows);
}

function eachPoint(table: Table, column: Column, axis: Axis, from: number, to: number, points: Points): void {
  eachChunk(table, column, from, to, (values, x, _start, first, last) => {
    for (let i = first; i < last; i += 1) {
      const value = values[i] ?? absent;
      if (!Number.isNaN(value)) points.add(x[axis][i] ?? 0, value);
    }
  });
}

/** The leftmost and the rightmost point: each ascending span may contain either. */
function endsOf(
  table: Table,
  column: Column,
  axis: Axis,
  pieces: readonly Piece[],
): { first: [number, number]; last: [number, number] } {
  let first: [number, number] = [Number.POSITIVE_INFINITY, absent];
  let last: [number, number] = [Number.NEGATIVE_INFINITY, absent];
  pieces.forEach((piece, i) => {
    const begins = pieces[i - 1]?.span !== piece.span;
    const ends = pieces[i + 1]?.span !== piece.span;
    if (!begins && !ends) return;
    const points = new Points();
    eachPoint(table, column, axis, piece.from, piece.to, points);
    const [x, y] = [points.x[0] ?? 0, points.y[0] ?? absent];
    if (begins && x < first[0]) first = [x, y];
    const [endX, endY] = [points.x.at(-1) ?? 0, points.y.at(-1) ?? absent];
    if (ends && endX >= last[0]) last = [endX, endY];
  });
  return { first, last };
}

/** The lowest and the highest point of each bucket, and a gap where it has one. */
function addExtremes(
  pieces: readonly Piece[],
  rows: number,
  axis: Axis,
  maxPoints: number,
  points: Points,
): void {
  const gapped = pieces.some(({ records, at }) => (records[at + record.gaps] ?? 0) > 0);
  const buckets = Math.floor((maxPoints - 2) / (gapped ? 3 : 2));
  if (buckets < 1) return;
  const offset = axes.indexOf(axis);
  const flush = (bucket: Float64Array): void => {
    const get = (at: number): number => bucket[at] ?? absent;
    const found: [number, number][] = [];
    if (!Number.isNaN(get(record.min))) {
      found.push([get(record.minX + offset), get(record.min)]);
      if (get(record.max) !== get(record.min)) found.push([get(record.maxX + offset), get(record.max)]);
    }
    if (get(record.gaps) > 0) found.push([get(record.gapX + offset), gap]);
    for (const [x, y] of found.sort((a, b) => a[0] - b[0])) points.add(x, y);
  };
  let bucket = emptyRecord();
  let bucketNo = 0;
  for (const piece of pieces) {
    const no = Math.min(buckets - 1, Math.floor((piece.before / rows) * buckets));
    if (no !== bucketNo) {
      flush(bucket);
      bucket = emptyRecord();
      bucketNo = no;
    }
    mergeRecord(bucket, 0, piece.records, piece.at);
  }
  flush(bucket);
}

/** The slow path, for an axis that goes back often or is missing in some lines: reads and sorts every row. */
function readUnordered(table: Table, column: Column, axis: Axis, taken: readonly Span[], ask: Ask): Drawn {
  const found: [number, number][] = [];
  for (const [from, to] of without([[0, table.rows]], taken)) {
    eachChunk(table, column, from, to, (values, x, _start, first, last) => {
      for (let i = first; i < last; i += 1) {
        const value = values[i] ?? absent;
        const at = x[axis][i] ?? absent;
        if (Number.isNaN(value) || Number.isNaN(at)) continue;
        if (at >= (ask.from ?? Number.NEGATIVE_INFINITY) && at <= (ask.to ?? Number.POSITIVE_INFINITY))
          found.push([at, value]);
      }
    });
  }
  found.sort((a, b) => a[0] - b[0]);
  const points = new Points();
  const total = found.length;
  if (total <= ask.maxPoints) {
    for (const point of found) points.add(...point);
    return points.finish(total, true);
  }
  const x = found.map(([at]) => at);
  const values = found.map(([, value]) => value);
  const pieces = found.map((_, i): Piece => {
    const made = emptyRecord();
    summarise(values, { step: x, epoch: x, t: x }, i, i + 1, made, 0);
    return { span: 0, before: i, from: i, to: i + 1, records: made, at: 0 };
  });
  const [first, last] = [found[0], found.at(-1)];
  if (first !== undefined) points.add(...first);
  addExtremes(pieces, total, axis, ask.maxPoints, points);
  if (last !== undefined) points.add(...last);
  return points.finish(total, false);
}
