/** What one rank began to write and another went on with, as one series: so charts of a run that lost rank 0 have its evaluations. Pure. */
import type { Series } from './metrics.ts';

type Points = Pick<Series, 'x' | 'y'>;

/** All points in the order of x. Of points at one x those of the first series count. */
export function joinedSeries(series: readonly Points[]): Points {
  const [only, ...others] = series;
  if (only !== undefined && others.length === 0) return only;
  const firstAt = new Map<number, number>();
  const points = series.flatMap(({ x, y }, of) =>
    x.flatMap((at, index) => {
      if (!firstAt.has(at)) firstAt.set(at, of);
      return firstAt.get(at) === of ? [{ at, value: y[index] ?? null }] : [];
    }),
  );
  points.sort((a, b) => a.at - b.at);
  return { x: points.map(({ at }) => at), y: points.map(({ value }) => value) };
}
