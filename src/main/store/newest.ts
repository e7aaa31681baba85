/** Merges the newest lines of several sources: each source's own order is kept, the clocks decide between sources. */
import type { MetricLine, Point, Source } from '../../shared/metrics/metrics.ts';

export interface SourceLines {
  readonly source: Source;
  /** In order of seq. */
  readonly lines: readonly MetricLine[];
}

/** At most `limit` points, oldest first. */
export function newestOf(lists: readonly SourceLines[], limit: number): Point[] {
  const left = lists.map(({ source, lines }) => ({ source, lines, end: lines.length }));
  const taken: Point[] = [];
  while (taken.length < limit) {
    let newest: (typeof left)[number] | undefined;
    for (const list of left) {
      const t = list.lines[list.end - 1]?.t;
      if (t !== undefined && (newest === undefined || t > (newest.lines[newest.end - 1]?.t ?? 0)))
        newest = list;
    }
    const line = newest?.lines[newest.end - 1];
    if (newest === undefined || line === undefined) break;
    newest.end -= 1;
    taken.push({ source: newest.source, line });
  }
  return taken.reverse();
}
