/**
 * A series in memory for drawing: the store's answer, then live points. Insertion is idempotent, so that repeated and
 * disordered lines, and points that are both in the answer and live, make one point each.
 */
import type { Series } from '../../../shared/metrics/metrics.ts';
import { firstAbove, firstNotBelow } from '../scale/search.ts';

export interface OutsidePoint {
  readonly x: number;
  readonly y: number;
}

export interface Track {
  /** Ascending. */
  readonly x: number[];
  /** null where the value was not finite: a marked gap. */
  readonly y: (number | null)[];
  /** Where points are extremes of many values: the mean of those that each stands for, and how many they are. */
  readonly means?: number[] | undefined;
  readonly counts?: number[] | undefined;
  /** The next points outside the range that was asked for, where they are finite: the line leads out of it to them. */
  before?: OutsidePoint | undefined;
  after?: OutsidePoint | undefined;
  /** The newest line that it has. */
  newest?: number | undefined;
  /** Increases with every change, so that drawings can be cached. */
  version: number;
}

export const emptyTrack = (): Track => ({ x: [], y: [], version: 0 });

/** From a stored series; if a bucket has several points at one x, all of them stay. */
export const trackOf = ({ x, y, means, counts, newest, before, after }: Series): Track => ({
  x: [...x],
  y: [...y],
  ...{ newest, before, after },
  version: 1,
  ...(means === undefined || counts === undefined ? {} : { means: [...means], counts: [...counts] }),
});

interface Meant {
  readonly mean: number;
  readonly count: number;
}

/** What a point stands for: itself, unless it is an extreme of many values. */
export function meantAt({ y, means, counts }: Track, at: number): Meant {
  const own = itself(y[at] ?? null);
  return { mean: means?.[at] ?? own.mean, count: counts?.[at] ?? own.count };
}

/** What a point of one value stands for. */
const itself = (y: number | null): Meant => ({ mean: y ?? 0, count: y === null ? 0 : 1 });

function put(track: Track, at: number, x: number, y: number | null, { mean, count }: Meant): void {
  track.x.splice(at, 0, x);
  track.y.splice(at, 0, y);
  track.means?.splice(at, 0, mean);
  track.counts?.splice(at, 0, count);
  track.version += 1;
}

/**
 * Inserts a line's point, after those with the same x: a script may log many at one epoch. A point that exists already
 * changes nothing: one at its x, of a line that is not newer than all that the track has.
 */
export function insert(track: Track, x: number, value: number, seq: number): void {
  if (!Number.isFinite(x)) return;
  const at = firstAbove(track.x, x);
  const newest = track.newest ?? -1;
  if (seq <= newest && track.x[at - 1] === x) return;
  const y = Number.isFinite(value) ? value : null;
  put(track, at, x, y, itself(y));
  track.newest = Math.max(seq, newest);
}

/** All points of several tracks as one: what one rank began and another went on with. Of points at one x the first track's counts. */
export function joinedTrack(tracks: readonly (Track | undefined)[]): Track {
  const joined: Track = { ...emptyTrack(), means: [], counts: [] };
  for (const track of tracks)
    track?.x.forEach((x, from) => {
      const at = firstNotBelow(joined.x, x);
      if (joined.x[at] !== x) put(joined, at, x, track.y[from] ?? null, meantAt(track, from));
    });
  for (const track of tracks) {
    const before = track?.before;
    if (before !== undefined && before.x > (joined.before?.x ?? Number.NEGATIVE_INFINITY))
      joined.before = before;
    if (track?.after !== undefined) putAfter(joined, track.after);
  }
  return joined;
}

/** A point behind the range: it counts where it is nearer to the range than the one before. */
export function putAfter(track: Track, point: OutsidePoint): void {
  if (point.x >= (track.after?.x ?? Number.POSITIVE_INFINITY)) return;
  track.after = point;
  track.version += 1;
}

/** Whether there is a line to draw: points, or those outside an empty range, which it connects. */
export const isDrawn = ({ x, before, after }: Track): boolean =>
  x.length > 0 || (before !== undefined && after !== undefined);

export interface Last {
  readonly x: number;
  /** null where the value was not finite. */
  readonly y: number | null;
}

export function lastOf(track: Track | undefined): Last | undefined {
  const x = track?.x.at(-1);
  return x === undefined ? undefined : { x, y: track?.y.at(-1) ?? null };
}

/** The point nearest to `x`. */
export function nearest(track: Track, x: number): Last | undefined {
  const after = firstNotBelow(track.x, x);
  const right = track.x[after];
  const left = track.x[after - 1];
  const at = right === undefined ? after - 1 : left !== undefined && x - left < right - x ? after - 1 : after;
  const found = track.x[at];
  return found === undefined ? undefined : { x: found, y: track.y[at] ?? null };
}

/** Ranges of x without a finite value, from the point before to the point after; at most `max`, the rest joined. */
export function gapsOf(track: Track, max: number): { from: number; to: number }[] {
  const gaps: { from: number; to: number }[] = [];
  for (let i = 0; i < track.y.length; i += 1) {
    if (track.y[i] !== null) continue;
    const from = track.x[i - 1] ?? track.x[i] ?? 0;
    while (i + 1 < track.y.length && track.y[i + 1] === null) i += 1;
    const to = track.x[i + 1] ?? track.x[i] ?? from;
    const previous = gaps.at(-1);
    if (previous !== undefined && (previous.to >= from || gaps.length >= max)) previous.to = to;
    else gaps.push({ from, to });
  }
  return gaps;
}

/** The average decays as if this many points were spread evenly along the range, however many there are. */
const stepsInRange = 200;

/**
 * Debiased exponential moving average that decays along x, so that the curve does not depend on how dense the
 * points are: of the values that they stand for, not of extremes. `weight` 0 (none) to below 1.
 */
export function smooth(track: Track, weight: number): (number | null)[] {
  const range = (track.x.at(-1) ?? 0) - (track.x[0] ?? 0);
  if (weight <= 0 || range <= 0) return [...track.y];
  let sum = 0;
  let mass = 0;
  let before = track.x[0] ?? 0;
  const stretches = meantStretches(track);
  const means = stretches.map(({ x, mean, count }) => {
    const kept = weight ** (((x - before) / range) * stepsInRange);
    before = x;
    sum = sum * kept + mean * count;
    mass = mass * kept + count;
    return sum / mass;
  });
  const smoothed: (number | null)[] = track.y.map(() => null);
  stretches.forEach(({ from, to, x }, n) => {
    const own = means[n] ?? Number.NaN;
    for (let i = from; i < to; i += 1) {
      const at = track.x[i] ?? x;
      // Towards the neighbour on its side, unless there is a gap between.
      const [beside, mean] = at < x ? [stretches[n - 1], means[n - 1]] : [stretches[n + 1], means[n + 1]];
      const isNext = beside?.to === from || beside?.from === to;
      const share = isNext && beside.x !== x ? (at - x) / (beside.x - x) : 0;
      const y = share === 0 ? own : own * (1 - share) + (mean ?? own) * share;
      smoothed[i] = Number.isFinite(y) ? y : null;
    }
  });
  return smoothed;
}

/** Points of a track that stand for the same values, at the middle of their places. */
interface MeantStretch extends Meant {
  readonly from: number;
  /** The index after the last. */
  readonly to: number;
  readonly x: number;
}

/** The lowest and the highest value of a bucket. */
const extremes = 2;

/** Each finite point once: the extremes of a bucket together, since drawn one by one its mean would be a stair. */
function meantStretches(track: Track): MeantStretch[] {
  const found: MeantStretch[] = [];
  track.y.forEach((y, i) => {
    if (y === null) return;
    const x = track.x[i] ?? 0;
    const { mean, count } = meantAt(track, i);
    const last = found.at(-1);
    if (last?.to === i && i - last.from < extremes && last.mean === mean && count > 1) {
      const first = track.x[last.from] ?? x;
      found[found.length - 1] = { ...last, to: i + 1, x: (first + x) / 2, count: last.count + count };
    } else found.push({ from: i, to: i + 1, x, mean, count });
  });
  return found;
}
