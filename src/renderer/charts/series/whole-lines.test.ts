import { expect, it } from 'vitest';
import { seriesName, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import { standIn } from '../../api/client.fixture.ts';
import type { ChartLine } from './chart-list.ts';
import { wholeLines } from './whole-lines.ts';

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
