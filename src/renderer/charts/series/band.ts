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

/**
 * The tracks' points have different x values, since each keeps its own extremes: they are gathered in equal ranges of x.
 * The mean is of the values that the points stand for.
 * @param buckets the maximum number of ranges
 */
export function bandOf(tracks: readonly (Track | undefined)[], buckets: number): Band {
  const known = tracks.filter((track): track is Track => track !== undefined && track.x.length > 0);
  const from = Math.min(...known.map((track) => track.x[0] ?? Number.POSITIVE_INFINITY));
  const to = Math.max(...known.map((track) => track.x.at(-1) ?? Number.NEGATIVE_INFINITY));
  const longest = known.reduce((max, track) => Math.max(max, track.x.length), 0);
  const count = Math.max(1, Math.min(buckets, longest));
  const width = (to - from) / count || 1;
  const band = emptyBand();
  const places = known.map(() => 0);
  for (let bucket = 0; bucket < count && known.length > 0; bucket += 1) {
    const end = bucket === count - 1 ? Number.POSITIVE_INFINITY : from + (bucket + 1) * width;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    let sum = 0;
    let values = 0;
    let points = 0;
    let xs = 0;
    known.forEach((track, index) => {
      let at = places[index] ?? 0;
      for (; at < track.x.length && (track.x[at] ?? end) < end; at += 1) {
        const y = track.y[at] ?? null;
        if (y === null) continue;
        low = Math.min(low, y);
        high = Math.max(high, y);
        const { mean, count: meant } = meantAt(track, at);
        sum += mean * meant;
        values += meant;
        xs += track.x[at] ?? 0;
        points += 1;
      }
      places[index] = at;
    });
    if (points === 0) continue;
    band.x.push(xs / points);
    const mean = sum / values;
    // Of the extremes that the mean lies between one may be in the next range.
    band.low.push(Math.min(low, mean));
    band.high.push(Math.max(high, mean));
    band.mean.push(mean);
  }
  return band;
}
