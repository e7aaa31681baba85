/** All points of a chart's lines, for its export: a chart draws only as many as there are pixels, the extremes among many. */
import type { LabApi } from '../../../shared/contract/api.ts';
import { seriesName, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import type { FeedAxis, Range } from '../scale/axis.ts';
import type { ChartLine } from './chart-list.ts';
import { joinedTrack, trackOf, type Track } from './track.ts';

/** The maximum number of points of a series, and of series, in one answer. */
const maxPoints = 5000;
const maxSeries = 256;

export interface WholeAsk {
  readonly runId: string;
  readonly x: FeedAxis;
  /** What is zoomed to; without it everything. */
  readonly range: Range | undefined;
}

/** Tracks by the lines' names. A mean of several series is left out: it has the points that are drawn. */
export async function wholeLines(
  api: Pick<LabApi, 'call'>,
  { runId, x, range }: WholeAsk,
  lines: readonly ChartLine[],
): Promise<ReadonlyMap<string, Track>> {
  const single = lines.filter((line) => line.bandOf === undefined);
  const keysOf = (line: ChartLine): readonly SeriesKey[] => line.joinedOf ?? [line.key];
  const keys = single.flatMap(keysOf);
  const tracks = new Map<string, Track>();
  for (let from = 0; from < keys.length; from += maxSeries) {
    const series = keys.slice(from, from + maxSeries);
    const found = await api.call('metrics.series', { runId, series, x, maxPoints, ...(range ?? {}) });
    for (const one of found) tracks.set(seriesName(one.key), trackOf(one));
  }
  return new Map(
    single.map((line) => [line.name, joinedTrack(keysOf(line).map((key) => tracks.get(seriesName(key))))]),
  );
}
