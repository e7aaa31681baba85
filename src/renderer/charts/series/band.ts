/** Aggregates many ranks into one band: minimum, maximum and mean at each x. Pure functions. */
import { meantAt, type OutsidePoint, type Track } from './track.ts';

export interface Band {
  readonly x: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
  readonly mean: readonly number[];
}

/** The means of the next points outside the range, where those of all tracks lie at one x, as validations do. */
export function meanOutside(tracks: readonly (Track | undefined)[]): Pick<Track, 'before' | 'after'> {
  const mean = (points: readonly (OutsidePoint | undefined)[]): OutsidePoint | undefined => {
    const known = points.filter((point) => point !== undefined);
    const x = known[0]?.x;
    if (x === undefined || known.length < points.length || known.some((point) => point.x !== x))
      return undefined;
    return { x, y: known.reduce((sum, { y }) => sum + y, 0) / known.length };
  };
  return {
    before: mean(tracks.map((track) => track?.before)),
    after: mean(tracks.map((track) => track?.after)),
  };
}

const emptyBand = (): { [K in keyof Band]: number[] } => ({ x: [], low: [], high: [], mean: [] });

/** What of one track, or of several, lies in a range of x. */
interface Part {
  low: number;
  high: number;
  /** Of the values that the points stand for, and how many those are. */
  sum: number;
  values: number;
  points: number;
  /** Sum of the points' places. */
  xs: number;
}
const emptyPart = (): Part => ({
  ...{ low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY },
  ...{ sum: 0, values: 0, points: 0, xs: 0 },
});

function join(into: Part, { low, high, sum, values, points, xs }: Part): void {
  into.low = Math.min(into.low, low);
  into.high = Math.max(into.high, high);
  into.sum += sum;
  into.values += values;
  into.points += points;
  into.xs += xs;
}

/** The points [from, to) of one track. */
interface TrackPart extends Part {
  readonly from: number;
  readonly to: number;
}

/** The points of a track from index `from` on that are before x = `end`. */
function partOf(track: Track, from: number, end: number): TrackPart {
  const part = emptyPart();
  let at = from;
  for (; at < track.x.length && (track.x[at] ?? end) < end; at += 1) {
    const y = track.y[at] ?? null;
    if (y === null) continue;
    part.low = Math.min(part.low, y);
    part.high = Math.max(part.high, y);
    const { mean, count } = meantAt(track, at);
    part.sum += mean * count;
    part.values += count;
    part.xs += track.x[at] ?? 0;
    part.points += 1;
  }
  return { ...part, from, to: at };
}

/** Of a track without points in a range: its value at x there, between the points [at - 1] and [at]; none beyond its ends and in gaps. */
function between(track: Track, at: number, x: number): number | undefined {
  const point = (index: number): OutsidePoint | undefined => {
    const y = track.y[index] ?? null;
    return y === null ? undefined : { x: track.x[index] ?? x, y: meantAt(track, index).mean };
  };
  const left = at === 0 ? track.before : point(at - 1);
  const right = at === track.x.length ? track.after : point(at);
  if (left === undefined || right === undefined) return undefined;
  const share = right.x > left.x ? (x - left.x) / (right.x - left.x) : 0;
  return left.y * (1 - share) + right.y * share;
}

/** The tracks' means at x, each counted once, and their extremes. */
function evenly(tracks: readonly Track[], parts: readonly TrackPart[], x: number): Part {
  const all = emptyPart();
  parts.forEach((part, index) => {
    const track = tracks[index];
    const value = track && part.from === part.to ? between(track, part.to, x) : undefined;
    if (value !== undefined) join(all, { low: value, high: value, sum: value, values: 1, points: 1, xs: x });
    else if (part.values > 0) join(all, { ...part, sum: part.sum / part.values, values: 1 });
  });
  return all;
}

/**
 * The tracks' points have different x values, since each keeps its own extremes: they are gathered in equal ranges of x.
 * @param buckets the maximum number of ranges
 * @param meant the mean of all values that the points stand for, or of the tracks: each counts the same, however many values it has
 */
export function bandOf(
  tracks: readonly (Track | undefined)[],
  buckets: number,
  meant: 'values' | 'tracks' = 'values',
): Band {
  const known = tracks.filter((track): track is Track => track !== undefined && track.x.length > 0);
  const from = Math.min(...known.map((track) => track.x[0] ?? Number.POSITIVE_INFINITY));
  const to = Math.max(...known.map((track) => track.x.at(-1) ?? Number.NEGATIVE_INFINITY));
  const longest = known.reduce((max, track) => Math.max(max, track.x.length), 0);
  const count = Math.max(1, Math.min(buckets, longest));
  const width = (to - from) / count || 1;
  const band = emptyBand();
  let parts: readonly TrackPart[] = [];
  for (let bucket = 0; bucket < count && known.length > 0; bucket += 1) {
    const end = bucket === count - 1 ? Number.POSITIVE_INFINITY : from + (bucket + 1) * width;
    const before = parts;
    parts = known.map((track, index) => partOf(track, before[index]?.to ?? 0, end));
    const all = emptyPart();
    for (const part of parts) join(all, part);
    if (all.points === 0) continue;
    const x = all.xs / all.points;
    const { low, high, sum, values } = meant === 'values' ? all : evenly(known, parts, x);
    band.x.push(x);
    const mean = sum / values;
    // Of the extremes that the mean lies between one may be in the next range.
    band.low.push(Math.min(low, mean));
    band.high.push(Math.max(high, mean));
    band.mean.push(mean);
  }
  return band;
}
