/** Which charts a run's report has: loss, accuracy and step times. */
import { seriesColour } from '../../../shared/base/series-colour.ts';
import type { Language } from '../../../shared/base/language.ts';
import { joinedSeries } from '../../../shared/metrics/joined-series.ts';
import { rankSource, seriesName, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import { firstMembers, steadyMember } from '../../../shared/run/membership.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { say } from '../../i18n/index.ts';
import type { Store } from '../../store/index.ts';
import type { Chart, ChartLine } from './chart-svg.ts';

/** Maximum number of points of a curve: more than there are pixels would only make the file larger. */
const maxPoints = 600;
/** More curves cannot be distinguished. */
const maxRanks = 8;

/** What is drawn of a line; `keys`: the series that it goes through. */
interface Wanted extends Pick<ChartLine, 'name' | 'colour' | 'dots'> {
  readonly keys: readonly SeriesKey[];
}
interface WantedChart {
  readonly title: string;
  readonly lines: readonly Wanted[];
}

export function trainerCharts(
  store: Pick<Store, 'series'>,
  run: RunRecord,
  language: Language,
): Promise<Chart[]> {
  const step = (rank: number, field: string): SeriesKey => ({
    source: rankSource(rank),
    kind: 'step',
    field,
  });
  const steady = steadyMember(run);
  const perRank = (field: string): Wanted[] =>
    run.ranks.slice(0, maxRanks).map(({ rank, nodeName }, i) => ({
      keys: [step(rank, field)],
      name: `${say(language, 'report.rank')} ${rank} · ${nodeName}`,
      colour: seriesColour(i),
    }));
  const validation = (field: string): Wanted => ({
    keys: firstMembers(run).map((rank) => ({ source: rankSource(rank), kind: 'eval', field })),
    name: say(language, 'report.validation'),
    colour: '#222',
    dots: true,
  });
  return chartsOf(store, run.id, say(language, 'report.step'), [
    { title: 'Loss', lines: [...perRank('loss'), validation('loss')] },
    { title: say(language, 'report.top1'), lines: [...perRank('top1'), validation('top1')] },
    {
      title: say(language, 'report.stepTime', { rank: steady }),
      lines: (['data', 'compute', 'communication'] as const).map((part, i) => ({
        keys: [step(steady, `${part}_seconds`)],
        name: say(language, `report.${part}`),
        colour: seriesColour(i),
      })),
    },
  ]);
}

async function chartsOf(
  store: Pick<Store, 'series'>,
  runId: string,
  xName: string,
  wanted: readonly WantedChart[],
): Promise<Chart[]> {
  const keys = wanted.flatMap(({ lines }) => lines.flatMap((line) => line.keys));
  const series = await store.series({ runId, series: keys, x: 'step', maxPoints });
  const byName = new Map(series.map((one) => [seriesName(one.key), one]));
  return wanted.map(({ title, lines }) => ({
    title,
    xName,
    lines: lines.map((line) => ({
      ...{ name: line.name, colour: line.colour, dots: line.dots ?? false },
      ...joinedSeries(line.keys.flatMap((key) => byName.get(seriesName(key)) ?? [])),
    })),
  }));
}
