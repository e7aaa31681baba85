/** What each rank of an own script said last, of its newest start: a `collect_end` line ends each. Pure. */
import type * as z from 'zod';
import type { Point } from '../metrics/metrics.ts';

/** The kind of the line that ends what was collected of an attempt. */
export const collectEndKind = 'collect_end';

/** Of a rank's line, from 1. */
function attemptOfLine(points: readonly Point[]): (source: string, seq: number) => number {
  const ends = Map.groupBy(
    points.filter(({ line }) => line.kind === collectEndKind),
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

interface Said {
  /** The script's own, which an agent's workers count. */
  readonly rank: number;
  /** Unix seconds of the line. */
  readonly t: number;
}

/**
 * In the ranks' order; of an earlier start than the newest none. What does not fit the schema is left out.
 * @param points lines of the kind, and of `collect_end`, oldest first
 * @param kind the record is the line's member of this name
 * @param replaces whether a later record of the same start counts in place of an earlier one
 */
export function newestOfRanks<T extends Said>(
  points: readonly Point[],
  kind: string,
  schema: z.ZodType<T>,
  replaces: (later: T) => boolean = () => true,
): T[] {
  const attemptOf = attemptOfLine(points);
  const newest = new Map<number, { readonly attempt: number; readonly record: T }>();
  for (const { source, line } of points) {
    const member = line[kind];
    if (line.kind !== kind || typeof member !== 'object') continue;
    const read = schema.safeParse({ ...member, t: line.t });
    if (!read.success) continue;
    const record = read.data;
    const attempt = attemptOf(source, line.seq);
    const known = newest.get(record.rank);
    const isLater = line.t >= (known?.record.t ?? 0) && replaces(record);
    if (known === undefined || attempt > known.attempt || isLater)
      newest.set(record.rank, { attempt, record });
  }
  const last = Math.max(1, ...[...newest.values()].map(({ attempt }) => attempt));
  return [...newest.values()]
    .filter(({ attempt }) => attempt === last)
    .map(({ record }) => record)
    .sort((a, b) => a.rank - b.rank);
}
