/** Which charts a run's report has: loss, accuracy and step times; of an own script its scalars. */
import { seriesColour } from '../../../shared/base/series-colour.ts';
import type { Language } from '../../../shared/base/language.ts';
import { joinedSeries } from '../../../shared/metrics/joined-series.ts';
import { rankSource, seriesName, type SeriesKey, type SeriesQuery } from '../../../shared/metrics/metrics.ts';
import { firstMembers, steadyMember } from '../../../shared/run/membership.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { scalarField, scalarKind, type RunScalar } from '../../../shared/run/run-outputs.ts';
import { bestOf } from '../../../shared/run/scalar-values.ts';
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
  const perRank = (field: string): Wanted[] => ofRanks(run.ranks, language, (rank) => step(rank, field));
  const validation = (field: string): Wanted => ({
    keys: firstMembers(run).map((rank) => ({ source: rankSource(rank), kind: 'eval', field })),
    name: say(language, 'report.validation'),
    colour: '#222',
    dots: true,
  });
  return chartsOf(store, { runId: run.id, x: 'step' }, say(language, 'report.step'), [
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

/** A curve for each of the first ranks. */
const ofRanks = (
  ranks: RunRecord['ranks'],
  language: Language,
  keyOf: (rank: number) => SeriesKey,
): Wanted[] =>
  ranks.slice(0, maxRanks).map(({ rank, nodeName }, i) => ({
    keys: [keyOf(rank)],
    name: `${say(language, 'report.rank')} ${rank} · ${nodeName}`,
    colour: seriesColour(i),
  }));

/** More would hide what follows. */
const maxScalars = 24;

/** The scalars of an own script that a report shows: losses and accuracies first. */
export const reportedScalars = (scalars: readonly RunScalar[]): RunScalar[] =>
  [...scalars]
    .sort((a, b) => Number(bestOf(a.name) === undefined) - Number(bestOf(b.name) === undefined))
    .slice(0, maxScalars);

export async function scalarCharts(
  store: Pick<Store, 'series'>,
  run: RunRecord,
  scalars: readonly RunScalar[],
  language: Language,
): Promise<Chart[]> {
  const start = run.startedAt ?? run.createdAt;
  const charts = scalars.map(async ({ name, ranks }) => {
    const having = new Set(ranks.map(({ rank }) => rank));
    const field = scalarField(name);
    const lines = ofRanks(
      run.ranks.filter(({ rank }) => having.has(rank)),
      language,
      (rank) => ({ source: rankSource(rank), kind: scalarKind, field }),
    );
    const sum = (count: 'points' | 'steps'): number => ranks.reduce((total, one) => total + one[count], 0);
    // As in the window: along steps where most points have one.
    if (2 * sum('steps') > sum('points'))
      return chartsOf(store, { runId: run.id, x: 'step' }, say(language, 'report.step'), [
        { title: name, lines },
      ]);
    const byTime = await chartsOf(store, { runId: run.id, x: 't' }, say(language, 'report.seconds'), [
      { title: name, lines },
    ]);
    return byTime.map((chart) => ({
      ...chart,
      lines: chart.lines.map((line) => ({ ...line, x: line.x.map((t) => t - start) })),
    }));
  });
  return (await Promise.all(charts)).flat();
}

async function chartsOf(
  store: Pick<Store, 'series'>,
  of: Pick<SeriesQuery, 'runId' | 'x'>,
  xName: string,
  wanted: readonly WantedChart[],
): Promise<Chart[]> {
  const keys = wanted.flatMap(({ lines }) => lines.flatMap((line) => line.keys));
  const series = await store.series({ ...of, series: keys, maxPoints });
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
