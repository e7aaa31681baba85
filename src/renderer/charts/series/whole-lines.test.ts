import { expect, it } from 'vitest';
import { seriesName, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import { standIn } from '../../api/client.fixture.ts';
import type { ChartLine } from './chart-list.ts';
import { lineName } from './compare-list.ts';
import { wholeLines, wholeRuns } from './whole-lines.ts';

const key = (rank: number): SeriesKey => ({ source: `rank-${rank}`, kind: 'eval', field: 'loss' });
const line = (name: string, more: Partial<ChartLine>): ChartLine => ({
  ...{ key: key(0), name, meaning: { of: 'validation' }, colour: 'red', dash: undefined, sparse: false },
  ...more,
});

it('an export asks for all points of what is zoomed to, also of a line that another rank went on with', async () => {
  const asked: unknown[] = [];
  const { client } = standIn({
    'metrics.series': ({ series, maxPoints, from, to }) => {
      asked.push([series.map(seriesName), maxPoints, from, to]);
      return series.map((one, n) => ({
        ...{ key: one, x: [10 * n, 10 * n + 5], y: [n, null], total: 2, newest: 1 },
      }));
    },
  });
  const found = await wholeLines(client, { runId: 'r', x: 'step', range: { from: 0, to: 99 } }, [
    line('one', {}),
    line('joined', { joinedOf: [key(1), key(2)] }),
    line('mean', { bandOf: [key(3)] }),
  ]);
  const names = [0, 1, 2].map((rank) => seriesName(key(rank)));
  expect(asked).toEqual([[names, 5000, 0, 99]]);
  expect([...found.keys()]).toEqual(['one', 'joined']);
  expect(found.get('joined')).toMatchObject({ x: [10, 15, 20, 25], y: [1, null, 2, null] });
});

it('an export of compared runs has all points of each, on their common axis, of this chart alone', async () => {
  const asked: unknown[] = [];
  const { client } = standIn({
    'metrics.series': ({ runId, series, from, to }) => {
      asked.push([runId, series.map(seriesName), from, to]);
      return series.map((one) => ({ key: one, x: [100, 110], y: [1, 2], total: 2, newest: 1 }));
    },
  });
  const runs = ['a', 'b'].map((runId, n) => ({
    ...({ runId, x: 'step', laid: { offset: 100 * n, scale: 10 } } as const),
    wanted: [
      { series: 'loss', keys: [key(n)] },
      { series: 'top1', keys: [key(2)] },
    ],
  }));
  const lines = ['a', 'b', 'group'].map((id) => line(lineName(id, 'loss'), {}));
  const found = await wholeRuns(client, runs, { from: 1, to: 2 }, lines);
  expect(asked).toEqual([
    ['a', [seriesName(key(0))], 10, 20],
    ['b', [seriesName(key(1))], 110, 120],
  ]);
  expect([...found].map(([name, { x }]) => [name, x])).toEqual([
    [lineName('a', 'loss'), [10, 11]],
    [lineName('b', 'loss'), [0, 1]],
  ]);
});
