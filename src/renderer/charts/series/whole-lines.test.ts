import { expect, it } from 'vitest';
import { seriesName, type SeriesKey, type SeriesQuery } from '../../../shared/metrics/metrics.ts';
import { standIn } from '../../api/client.fixture.ts';
import type { ChartLine } from './chart-list.ts';
import { lineName, type Laid } from './compare-list.ts';
import { wholeLines, wholeRuns } from './whole-lines.ts';

const key = (rank: number): SeriesKey => ({ source: `rank-${rank}`, kind: 'eval', field: 'loss' });
const laidAt = (offset: number, scale: number): Laid => ({
  toShown: (x) => (x - offset) / scale,
  toFeed: (shown) => shown * scale + offset,
});
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
    ...({ runId, x: 'step', laid: laidAt(100 * n, 10) } as const),
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

it('an export keeps several points at one x, as a script logs them along epochs', async () => {
  const points = { x: [0, 0, 0, 1, 1, 1], y: [5, 4, 3, 2, 1, 0.5] };
  const { client } = standIn({
    'metrics.series': ({ series }) => series.map((one) => ({ key: one, ...points, total: 6, newest: 5 })),
  });
  const found = await wholeLines(client, { runId: 'r', x: 'epoch', range: undefined }, [line('one', {})]);
  expect(found.get('one')).toMatchObject(points);
  const run = {
    ...({ runId: 'r', x: 'epoch', laid: laidAt(0, 1) } as const),
    wanted: [{ series: 'loss', keys: [key(0)] }],
  };
  const compared = await wholeRuns(client, [run], undefined, [line(lineName('r', 'loss'), {})]);
  expect(compared.get(lineName('r', 'loss'))).toMatchObject(points);
});

/** Answers as the store does: all points of a range, or only every nth of them, and the last one. */
function storeOf(x: readonly number[], counts = { asked: 0 }) {
  const rows = x.map((at, row) => ({ at, y: row }));
  const answer = ({ series, from = -Infinity, to = Infinity, maxPoints }: SeriesQuery) => {
    counts.asked += 1;
    const here = rows.filter(({ at }) => at >= from && at <= to);
    const nth = Math.ceil(here.length / (maxPoints - 1));
    const drawn =
      here.length <= maxPoints ? here : here.filter((_, i) => i % nth === 0 || i === here.length - 1);
    return series.map((one) => ({
      ...{ key: one, x: drawn.map(({ at }) => at), y: drawn.map(({ y }) => y) },
      ...{ total: here.length, newest: rows.length },
    }));
  };
  return standIn({ 'metrics.series': answer }).client;
}
const all = (length: number): number[] => Array.from({ length }, (_, row) => row);

it.each([
  ['steps', (row: number) => row],
  ['epochs of many steps, with parts of them', (row: number) => Math.floor(row / 300) / 7],
  ['places on both sides of 0', (row: number) => (row - 10_000) / 1e300],
])('an export has all of 20,000 points, though one answer has 5,000: %s', async (_, at) => {
  const counts = { asked: 0 };
  const x = all(20_000).map(at);
  const found = await wholeLines(storeOf(x, counts), { runId: 'r', x: 'step', range: undefined }, [
    line('one', {}),
  ]);
  expect(found.get('one')?.y).toEqual(all(20_000));
  expect(found.get('one')?.x).toEqual(x);
  expect(found.get('one')?.means).toBeUndefined();
  expect(counts.asked).toBeLessThan(20);
});

it('an export of what is zoomed to asks for parts of it alone', async () => {
  const range = { from: 1000, to: 8999 };
  const found = await wholeLines(storeOf(all(20_000)), { runId: 'r', x: 'step', range }, [line('one', {})]);
  expect(found.get('one')?.y).toEqual(all(20_000).slice(1000, 9000));
});

it.each([
  ['more points at one x than one answer has', 6000, () => 3],
  ['more points than a file can have', 1_000_001, (row: number) => row],
])('an export says that it cannot be complete: %s', async (_, rows, at) => {
  const asked = wholeLines(storeOf(all(rows).map(at)), { runId: 'r', x: 'epoch', range: undefined }, [
    line('one', {}),
  ]);
  await expect(asked).rejects.toMatchObject({ code: 'points_too_many', params: { count: rows } });
});
