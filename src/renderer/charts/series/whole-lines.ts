/** All points of a chart's lines, for its export: a chart draws only as many as there are pixels, the extremes among many. */
import type { LabApi } from '../../../shared/contract/api.ts';
import { seriesName, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import type { Range } from '../scale/axis.ts';
import type { ChartLine } from './chart-list.ts';
import { feedRange, layTrack, lineName, type RunTracks } from './compare-list.ts';
import { emptyTrack, joinedTrack, type Track } from './track.ts';
import { wholeSeries, type WholeAsk } from './whole-series.ts';

type Api = Pick<LabApi, 'call'>;

/** Tracks by the names of lines, each through the points of all its keys. */
async function wholeTracks(
  api: Api,
  ask: WholeAsk,
  lines: readonly { readonly name: string; readonly keys: readonly SeriesKey[] }[],
): Promise<ReadonlyMap<string, Track>> {
  const tracks = await wholeSeries(
    api,
    ask,
    lines.flatMap((line) => line.keys),
  );
  return new Map(
    lines.map(({ name, keys }) => {
      const own = keys.map((key) => tracks.get(seriesName(key)));
      // Several are joined with one point at each x; a script may have logged many there.
      return [name, own.length === 1 ? (own[0] ?? emptyTrack()) : joinedTrack(own)];
    }),
  );
}

/** Of one run, by the lines' names. A mean of several series is left out: it has the points that are drawn. */
export const wholeLines = (
  api: Api,
  ask: WholeAsk,
  lines: readonly ChartLine[],
): Promise<ReadonlyMap<string, Track>> =>
  wholeTracks(
    api,
    ask,
    lines
      .filter((line) => line.bandOf === undefined)
      .map(({ name, key, joinedOf }) => ({ name, keys: joinedOf ?? [key] })),
  );

/**
 * Of compared runs, by the lines' names, on their common axis. A group's line is left out: it has the points that are drawn.
 * @param range on the common axis
 */
export async function wholeRuns(
  api: Api,
  runs: readonly RunTracks[],
  range: Range | undefined,
  lines: readonly ChartLine[],
): Promise<ReadonlyMap<string, Track>> {
  const asked = new Set(lines.map(({ name }) => name));
  const found = new Map<string, Track>();
  for (const { runId, x, laid, wanted } of runs) {
    const here = wanted
      .map(({ series, keys }) => ({ name: lineName(runId, series), keys }))
      .filter(({ name }) => asked.has(name));
    if (here.length === 0) continue;
    for (const [name, track] of await wholeTracks(api, { runId, x, range: feedRange(laid, range) }, here))
      found.set(name, layTrack(track, laid));
  }
  return found;
}
