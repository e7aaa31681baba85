/** All points of series, of which one answer has only so many: ranges with more are asked for again in two parts. */
import type { LabApi } from '../../../shared/contract/api.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import {
  maxSeries,
  maxSeriesPoints,
  seriesName,
  type Series,
  type SeriesKey,
} from '../../../shared/metrics/metrics.ts';
import type { FeedAxis, Range } from '../scale/axis.ts';
import { trackOf, type Track } from './track.ts';

type Api = Pick<LabApi, 'call'>;

export interface WholeAsk {
  readonly runId: string;
  readonly x: FeedAxis;
  /** What is zoomed to; without it everything. */
  readonly range: Range | undefined;
}

/** Of all series together: more make a file that few programs open, and more text than a page can build. */
const maxPoints = 1_000_000;

const tooMany = (count: number, limit: number): RinglabError =>
  new RinglabError('points_too_many', { count, limit });

/** Both ends belong to it; without one it is open. */
type Part = Partial<Range>;

async function ask(
  api: Api,
  { runId, x }: WholeAsk,
  series: readonly SeriesKey[],
  part: Part,
): Promise<readonly Series[]> {
  return api.call('metrics.series', { runId, series: [...series], x, maxPoints: maxSeriesPoints, ...part });
}

/** The next greater number, so that two ranges meet and share no point. */
function nextAbove(x: number): number {
  const view = new DataView(new ArrayBuffer(8));
  // -0 has other bits than 0.
  view.setFloat64(0, x + 0);
  view.setBigInt64(0, view.getBigInt64(0) + (x < 0 ? -1n : 1n));
  return view.getFloat64(0);
}

/** Where the points of an answer are divided: half of them on each side, and never all on one. Undefined where all are at one x. */
function middleOf({ x }: Series): number | undefined {
  const last = x.at(-1);
  const middle = x[Math.floor((x.length - 1) / 2)];
  return middle === last ? x.findLast((one) => one !== last) : middle;
}

/** @throws RinglabError `points_too_many` */
export async function wholeSeries(
  api: Api,
  asked: WholeAsk,
  keys: readonly SeriesKey[],
): Promise<ReadonlyMap<string, Track>> {
  const all: Part = asked.range ?? {};
  const answers: Series[] = [];
  for (let from = 0; from < keys.length; from += maxSeries)
    answers.push(...(await ask(api, asked, keys.slice(from, from + maxSeries), all)));
  const total = answers.reduce((sum, one) => sum + one.total, 0);
  if (total > maxPoints) throw tooMany(total, maxPoints);

  const partsOf = async (answer: Series, part: Part): Promise<Series[]> => {
    if (answer.total <= maxSeriesPoints) return [answer];
    const middle = middleOf(answer);
    if (middle === undefined) throw tooMany(answer.total, maxSeriesPoints);
    const parts: Series[] = [];
    for (const half of [
      { ...part, to: middle },
      { ...part, from: nextAbove(middle) },
    ])
      for (const one of await ask(api, asked, [answer.key], half)) parts.push(...(await partsOf(one, half)));
    return parts;
  };
  const tracks = new Map<string, Track>();
  for (const answer of answers) {
    const parts = await partsOf(answer, all);
    const track = trackOf(answer);
    const own: Track =
      parts.length === 1
        ? track
        : {
            ...{ x: parts.flatMap(({ x }) => x), y: parts.flatMap(({ y }) => y) },
            ...{ before: track.before, after: track.after, newest: track.newest, version: 1 },
          };
    tracks.set(seriesName(answer.key), own);
  }
  return tracks;
}
