/** Converts tracks to what recharts draws: rows, domains, ticks and gaps of one chart. Pure functions. */
import type { Axis, Range } from '../scale/axis.ts';
import type { Band } from '../series/band.ts';
import type { ChartLine, ChartSpec } from '../series/chart-list.ts';
import { linearTicks, logTicks, valueDomain, wholeTicks, type Domain } from '../scale/scale.ts';
import { gapsOf, isDrawn, meantAt, smooth, type OutsidePoint, type Track } from '../series/track.ts';

export interface Row {
  readonly x: number;
  readonly y: number | null;
}

interface DrawnLine {
  readonly name: string;
  readonly rows: readonly Row[];
  /** The raw curve, faint behind a smoothed one. */
  readonly raw: readonly Row[] | undefined;
  /** The minimum and maximum of the values that the line is the mean of. */
  readonly band: readonly BandRow[] | undefined;
}

interface BandRow {
  readonly x: number;
  readonly low: number;
  readonly high: number;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Drawing {
  readonly lines: readonly DrawnLine[];
  readonly domain: Domain;
  readonly yTicks: readonly number[];
  readonly log: boolean;
  readonly points: number;
  /** Where a line has no finite value, in shown units; disjoint and ascending. */
  readonly gaps: readonly Stretch[];
}

export interface DrawOptions {
  readonly axis: Axis;
  readonly log: boolean;
  /** 0 (none) to below 1. */
  readonly smoothing: number;
  readonly hidden: ReadonlySet<string>;
  readonly tickCount: number;
  /** What is drawn of the tracks, in the feed's units. */
  readonly range?: Range | undefined;
  readonly bandOf?: ((name: string) => Band | undefined) | undefined;
}

const maxGaps = 20;

export function draw(
  spec: ChartSpec,
  trackOf: (name: string) => Track | undefined,
  options: DrawOptions,
): Drawing {
  const log = options.log && spec.log;
  const values: (number | null)[] = [];
  const lines: DrawnLine[] = [];
  let points = 0;
  const gaps: Stretch[] = [];
  for (const line of spec.lines) {
    const track = trackOf(line.name);
    if (track === undefined || !isDrawn(track)) continue;
    const outer = withOutside(track);
    points += track.x.length;
    if (options.hidden.has(line.name)) continue;
    gaps.push(...gapsOf(track, maxGaps));
    for (const y of track.y) values.push(y);
    if (options.range !== undefined) values.push(...edgeValues(outer, options.range));
    const band = options.bandOf?.(line.name);
    if (band !== undefined) values.push(...band.low, ...band.high);
    const smoothed = spec.smoothable && !line.sparse && options.smoothing > 0;
    const rows = (ys: readonly (number | null)[]): Row[] =>
      interrupted(outer.x, rowsOf(outer.x, ys, options.axis, log), breaksOf(line, options.axis));
    const raw = rows(outer.y);
    lines.push({
      name: line.name,
      rows: smoothed ? rows(smooth(outer, options.smoothing)) : raw,
      raw: smoothed && band === undefined ? raw : undefined,
      band: band === undefined ? undefined : bandRows(band, options.axis, log),
    });
  }
  const domain = valueDomain(values, { log, min: spec.min, max: spec.max });
  // There are no parts of a byte.
  const isWhole = spec.unit === 'bytes' && domain.high - domain.low < 50;
  const ticks = log ? logTicks : isWhole ? wholeTicks : linearTicks;
  const yTicks = ticks(domain.low, domain.high, options.tickCount);
  const shownGaps = union(gaps).map(({ from, to }) => ({
    from: options.axis.toShown(from),
    to: options.axis.toShown(to),
  }));
  return { lines, domain, yTicks, log, points, gaps: shownGaps };
}

/** With the points outside the range that its line leads to. */
function withOutside(track: Track): Track {
  const { before, after } = track;
  if (before === undefined && after === undefined) return track;
  const some = (point: OutsidePoint | undefined) =>
    point === undefined ? [] : [{ ...point, mean: point.y, count: 1 }];
  const inside = track.x.map((x, i) => ({ x, y: track.y[i] ?? null, ...meantAt(track, i) }));
  const points = [...some(before), ...inside, ...some(after)];
  return {
    x: points.map(({ x }) => x),
    y: points.map(({ y }) => y),
    means: points.map(({ mean }) => mean),
    counts: points.map(({ count }) => count),
    version: track.version,
  };
}

/** Where a line enters and leaves the range: the picture is as high as what is seen of it. */
function edgeValues({ x, y }: Track, { from, to }: Range): number[] {
  const at = (edge: number, left: number): number[] => {
    const [x0, x1] = [x[left], x[left + 1]];
    const [y0, y1] = [y[left] ?? null, y[left + 1] ?? null];
    if (x0 === undefined || x1 === undefined || y0 === null || y1 === null) return [];
    return edge > x0 && edge < x1 ? [y0 + ((edge - x0) / (x1 - x0)) * (y1 - y0)] : [];
  };
  return [...at(from, 0), ...at(to, x.length - 2)];
}

/** Joins overlapping ranges: a gap that all ranks share is shown once. */
function union(stretches: readonly Stretch[]): Stretch[] {
  const joined: Stretch[] = [];
  for (const one of stretches.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && one.from <= last.to) {
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, one.to) };
    } else joined.push(one);
  }
  return joined;
}

const breaksOf = ({ breaks = [] }: ChartLine, { x }: Axis): number[] =>
  x === 'epoch' ? [] : breaks.map((one) => one[x]);

/** With a row without a value between the two points on both sides of each break. @param xs of the rows */
function interrupted(xs: readonly number[], rows: Row[], breaks: readonly number[]): Row[] {
  if (breaks.length === 0) return rows;
  return rows.flatMap((row, i) => {
    const next = xs[i + 1];
    const ends = next !== undefined && breaks.some((at) => (xs[i] ?? at) < at && at <= next);
    return ends ? [row, { x: row.x, y: null }] : [row];
  });
}

/** Values without a logarithm become gaps. */
function rowsOf(xs: readonly number[], ys: readonly (number | null)[], axis: Axis, log: boolean): Row[] {
  return xs.map((x, i) => {
    const y = ys[i] ?? null;
    return { x: axis.toShown(x), y: log && y !== null && y <= 0 ? null : y };
  });
}

/** The x range that all charts of a run share, in the feed's units. */
export function sharedRange(
  tracks: readonly (Track | undefined)[],
): { from: number; to: number } | undefined {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const track of tracks) {
    const first = track?.x[0];
    const last = track?.x.at(-1);
    if (first === undefined || last === undefined) continue;
    from = Math.min(from, first);
    to = Math.max(to, last);
  }
  return from > to ? undefined : { from, to };
}

/** On a logarithmic axis a band ends where its lower edge has no logarithm. */
const bandRows = (band: Band, axis: Axis, log: boolean): BandRow[] =>
  band.x.flatMap((x, i) => {
    const low = band.low[i] ?? 0;
    return log && low <= 0 ? [] : [{ x: axis.toShown(x), low, high: band.high[i] ?? 0 }];
  });
