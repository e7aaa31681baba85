/**
 * Downsamples a column for drawing: all its points where they are few, else the extremes of the requested number of
 * buckets.
 */
import { absent, gap } from './block.ts';
import { Nearest, Points, SortedPoints, type Beside, type Drawn, type DrawnPoint } from './drawn-points.ts';
import { axes, emptyRecord, meanOf, mergeRecord, record, summarise, type Axis } from './pyramid.ts';
import type { Column } from './column.ts';
import { eachChunk, eachPoint } from './chunks.ts';
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

export function readSeries(table: Table, column: Column, cuts: readonly Cut[], ask: Ask): Drawn {
  const axis = drawnAxis(table, ask.x);
  const taken = supersededSpans(table, axis, cuts);
  const ascending = ascendingSpans(table, axis);
  if (ascending === undefined) return readUnordered(table, column, axis, taken, ask);
  const visible = without(ascending, taken);
  const spans = within(table, axis, visible, ask.from, ask.to);
  const beside = pointsBeside(table, column, axis, visible, ask);
  const rows = spans.reduce((sum, [from, to]) => sum + to - from, 0);
  const pieces = readPieces(table, column, spans, rows, ask.maxPoints);
  const total = pieces.reduce((sum, { records, at }) => sum + (records[at + record.count] ?? 0), 0);
  const points = new Points();
  if (total <= ask.maxPoints) {
    for (const { from, to } of pieces) eachPoint(table, column, axis, from, to, points);
    return { ...points.finish(total, true), ...beside };
  }
  addExtremes(pieces, endsOf(table, column, axis, pieces), rows, axis, ask.maxPoints, points);
  return { ...points.finish(total, false), ...beside };
}

/** How many rows of other fields are passed over in search of the point beside the range. */
const maxPassed = 64;

/** The points next to the range, to which the lines at its edges lead. */
function pointsBeside(
  table: Table,
  column: Column,
  axis: Axis,
  visible: readonly Span[],
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: Ask,
): Beside {
  const beside = new Nearest();
  for (const [first, end] of visible) {
    const start = table.search(axis, first, end, from, false);
    const stop = table.search(axis, start, end, to, true);
    const found = new Points();
    eachPoint(table, column, axis, Math.max(first, start - maxPassed), start, found);
    beside.below(found.x.at(-1), found.y.at(-1));
    const after = new Points();
    eachPoint(table, column, axis, stop, Math.min(end, stop + maxPassed), after);
    beside.above(after.x[0], after.y[0]);
  }
  return beside.points();
}

/** Rows for each record at the chosen level: the coarsest with at least one record for every drawn bucket. */
function levelFor(table: Table, rows: number, maxPoints: number): number {
  const { rows: perBlock, bucket } = table.shape;
  const buckets = Math.max(1, Math.floor(maxPoints / 2));
  if (rows / perBlock >= buckets) return perBlock;
  return rows / bucket >= buckets ? bucket : 1;
}

/** Rows that are summarised as one where they have no records. */
const grainOf = (rows: number, maxPoints: number): number => Math.max(1, Math.floor(rows / maxPoints / 2));

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
  const grain = grainOf(rows, maxPoints);
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

/** The leftmost or the rightmost point, and which piece has it. */
interface End {
  readonly piece: number;
  readonly point: DrawnPoint;
}

/** Each ascending span may contain either. */
function endsOf(table: Table, column: Column, axis: Axis, pieces: readonly Piece[]): readonly [End, End] {
  let first: End = { piece: -1, point: [Number.POSITIVE_INFINITY, absent] };
  let last: End = { piece: -1, point: [Number.NEGATIVE_INFINITY, absent] };
  pieces.forEach((piece, i) => {
    const begins = pieces[i - 1]?.span !== piece.span;
    const ends = pieces[i + 1]?.span !== piece.span;
    if (!begins && !ends) return;
    const points = new Points();
    eachPoint(table, column, axis, piece.from, piece.to, points);
    const [x, y] = [points.x[0] ?? 0, points.y[0] ?? absent];
    if (begins && x < first.point[0]) first = { piece: i, point: [x, y] };
    const [endX, endY] = [points.x.at(-1) ?? 0, points.y.at(-1) ?? absent];
    if (ends && endX >= last.point[0]) last = { piece: i, point: [endX, endY] };
  });
  return [first, last];
}

/**
 * The ends, and of each bucket the lowest and the highest point, and a gap where it has one. All of them carry the
 * bucket's mean: the middle of its extremes says nothing of values that are seldom large.
 */
function addExtremes(
  pieces: readonly Piece[],
  [first, last]: readonly [End, End],
  rows: number,
  axis: Axis,
  maxPoints: number,
  points: Points,
): void {
  const gapped = pieces.some(({ records, at }) => (records[at + record.gaps] ?? 0) > 0);
  const buckets = Math.floor((maxPoints - 2) / (gapped ? 3 : 2));
  const offset = axes.indexOf(axis);
  let bucket = emptyRecord();
  let bucketNo = 0;
  let ends: { left: DrawnPoint[]; right: DrawnPoint[] } = { left: [], right: [] };
  const flush = (): void => {
    const get = (at: number): number => bucket[at] ?? absent;
    const found: DrawnPoint[] = [];
    if (buckets > 0 && !Number.isNaN(get(record.min))) {
      found.push([get(record.minX + offset), get(record.min)]);
      if (get(record.max) !== get(record.min)) found.push([get(record.maxX + offset), get(record.max)]);
    }
    if (buckets > 0 && get(record.gaps) > 0) found.push([get(record.gapX + offset), gap]);
    found.sort((a, b) => a[0] - b[0]);
    const count = get(record.count) - get(record.gaps);
    points.addBucket([...ends.left, ...found, ...ends.right], meanOf(bucket), count);
    bucket = emptyRecord();
    ends = { left: [], right: [] };
  };
  pieces.forEach((piece, i) => {
    const no = Math.max(0, Math.min(buckets - 1, Math.floor((piece.before / rows) * buckets)));
    if (no !== bucketNo) flush();
    bucketNo = no;
    mergeRecord(bucket, 0, piece.records, piece.at);
    if (i === first.piece) ends.left.push(first.point);
    if (i === last.piece) ends.right.push(last.point);
  });
  flush();
}

/** For an axis that goes back often or is missing in some lines: reads and sorts every row. */
function readUnordered(table: Table, column: Column, axis: Axis, taken: readonly Span[], ask: Ask): Drawn {
  const found = new SortedPoints(table.rows);
  const { from: low = Number.NEGATIVE_INFINITY, to: high = Number.POSITIVE_INFINITY } = ask;
  const nearest = new Nearest();
  for (const [from, to] of without([[0, table.rows]], taken)) {
    eachPoint(table, column, axis, from, to, {
      add(x, y) {
        if (x < low) nearest.below(x, y);
        else if (x > high) nearest.above(x, y);
        else if (!Number.isNaN(x)) found.add(x, y);
      },
    });
  }
  const { x, y } = found.finish();
  const total = x.length;
  const points = new Points();
  if (total <= ask.maxPoints) {
    x.forEach((at, i) => points.add(at, y[i] ?? absent));
    return { ...points.finish(total, true), ...nearest.points() };
  }
  const pieces: Piece[] = [];
  const step = grainOf(total, ask.maxPoints);
  for (let from = 0; from < total; from += step) {
    const to = Math.min(total, from + step);
    const records = emptyRecord();
    summarise(y, { step: x, epoch: x, t: x }, from, to, records, 0);
    pieces.push({ span: 0, before: from, from, to, records, at: 0 });
  }
  const end = (piece: number, i: number): End => ({ piece, point: [x[i] ?? 0, y[i] ?? absent] });
  addExtremes(pieces, [end(0, 0), end(pieces.length - 1, total - 1)], total, axis, ask.maxPoints, points);
  return { ...points.finish(total, false), ...nearest.points() };
}
