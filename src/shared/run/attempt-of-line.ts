/** Which start of an own script a collected line is of: a `collect_end` line ends each. Pure. */
import type { Point } from '../metrics/metrics.ts';

/** @param points those of the kind `collect_end` count; the attempt of a rank's line is from 1 */
export function attemptOfLine(points: readonly Point[]): (source: string, seq: number) => number {
  const ends = Map.groupBy(
    points.filter(({ line }) => line.kind === 'collect_end'),
    ({ source }) => source,
  );
  return (source, seq) =>
    Math.max(
      0,
      ...(ends.get(source) ?? [])
        .filter(({ line }) => line.seq < seq)
        .map(({ line: { attempt } }) =>
          typeof attempt === 'number' && Number.isFinite(attempt) ? attempt : 0,
        ),
    ) + 1;
}
