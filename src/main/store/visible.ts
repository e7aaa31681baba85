/**
 * Selects the rows of a table that a series shows: of the newest attempt, within the requested range, in spans of
 * ascending x.
 */
import { scalarKind } from '../../shared/run/run-outputs.ts';
import type { Axis } from './pyramid.ts';
import { maxBreaks, type Table } from './table.ts';

/** Rows [from, to). */
export type Span = readonly [from: number, to: number];

/**
 * A `start` line: training resumed here. Earlier lines with steps and epochs from this point on belong to discarded
 * work, and are not drawn; the raw lines stay.
 */
export interface Cut {
  readonly seq: number;
  readonly step: number;
  readonly epoch: number;
}

/** The axis by which a resume discards lines of a kind. Checkpoints, warnings and samples are never discarded. */
const cutAxis: ReadonlyMap<string, 'step' | 'epoch'> = new Map([
  ['step', 'step'],
  ['eval', 'epoch'],
  ['epoch', 'epoch'],
]);

/** The axis that is used: lines without steps or epochs (samples) are placed by time. */
export function drawnAxis(table: Table, axis: Axis): Axis {
  return axis !== 't' && table.present(axis) === 0 ? 't' : axis;
}

/** Spans in which the axis never goes back; undefined where it goes back too often, or where rows lack it. */
export function ascendingSpans(table: Table, axis: Axis): Span[] | undefined {
  if (table.present(axis) !== table.rows) return undefined;
  const breaks = [...table.axisStates[axis].breaks];
  const start = table.blocks * table.shape.rows;
  const tail = table.keyTails[axis];
  for (let i = start > 0 ? 0 : 1; i < tail.length; i += 1) {
    const previous = i > 0 ? (tail[i - 1] ?? 0) : table.keyAt(axis, start - 1);
    if ((tail[i] ?? 0) < previous) breaks.push(start + i);
    if (breaks.length > maxBreaks) return undefined;
  }
  if (breaks.length > maxBreaks) return undefined;
  const edges = [0, ...breaks, table.rows];
  return edges.slice(1).map((to, i) => [edges[i] ?? 0, to] as const);
}

/** The maximum number of attempts whose ends are looked at: the newest. */
const maxEnds = 1000;

/**
 * Cuts of one scalar of a script, which has no `start` lines: another attempt continues where its first value is.
 * @param ends the table of the lines that end what was collected of an attempt
 */
export function attemptCuts(table: Table, ends: Table | undefined): Cut[] {
  const cuts: Cut[] = [];
  for (let end = Math.max(0, (ends?.rows ?? 0) - maxEnds); end < (ends?.rows ?? 0); end += 1) {
    const row = table.find((ends?.keyAt('seq', end) ?? 0) + 1);
    if (row >= table.rows) break;
    const [seq, step, epoch] = (['seq', 'step', 'epoch'] as const).map((key) => table.keyAt(key, row));
    if (seq === undefined || step === undefined || epoch === undefined) break;
    // A table whose rows lack an axis is not cut along it.
    if (cuts.at(-1)?.seq !== seq) cuts.push({ seq, step, epoch });
  }
  return cuts;
}

/** Rows that a later resume discarded, ascending and disjoint. Along time nothing is discarded. */
export function supersededSpans(table: Table, drawn: Axis, cuts: readonly Cut[]): Span[] {
  const axis = table.kind === scalarKind ? drawn : cutAxis.get(table.kind);
  if (axis === undefined || axis === 't' || drawn === 't') return [];
  const spans = ascendingSpans(table, axis);
  if (spans === undefined) return [];
  const dead: Span[] = [];
  for (const cut of cuts) {
    const before = table.find(cut.seq);
    for (const [from, to] of spans) {
      const end = Math.min(to, before);
      const start = from < end ? table.search(axis, from, end, cut[axis], false) : end;
      if (start < end) dead.push([start, end]);
    }
  }
  return union(dead);
}

/** `spans` minus `holes`; both ascending and disjoint. */
export function without(spans: readonly Span[], holes: readonly Span[]): Span[] {
  const left: Span[] = [];
  for (const [from, to] of spans) {
    let start = from;
    for (const [holeFrom, holeTo] of holes) {
      if (holeTo <= start || holeFrom >= to) continue;
      if (holeFrom > start) left.push([start, holeFrom]);
      start = Math.max(start, holeTo);
    }
    if (start < to) left.push([start, to]);
  }
  return left;
}

function union(spans: Span[]): Span[] {
  const joined: [number, number][] = [];
  for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** The part of each span whose x lies in [low, high]. */
export function within(
  table: Table,
  axis: Axis,
  spans: readonly Span[],
  low: number | undefined,
  high: number | undefined,
): Span[] {
  return spans
    .map(([from, to]): Span => {
      const start = low === undefined ? from : table.search(axis, from, to, low, false);
      return [start, high === undefined ? to : table.search(axis, start, to, high, true)];
    })
    .filter(([from, to]) => from < to);
}
