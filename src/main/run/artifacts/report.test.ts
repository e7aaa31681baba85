import { expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { SeriesQuery } from '../../../shared/metrics/metrics.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { writeReport } from './report.ts';

const rank = (number: number): RankRecord => ({
  ...{ rank: number, nodeId: `n${number}`, nodeName: `N${number}`, localRank: 0 },
  ...{ state: 'done', argv: [], env: {}, directory: '' },
});
const fewer = runRecord('r', {
  ranks: [0, 1, 2].map(rank),
  memberships: [{ generation: 1, t: 5, step: 12, ranks: [1, 2], lost: [0] }],
});

/** A store whose series have a point each, at a step of its rank. */
function bench() {
  const asked: string[] = [];
  const series = (query: SeriesQuery) => {
    asked.push(...query.series.map(({ source, kind, field }) => `${source} ${kind} ${field}`));
    return Promise.resolve(
      query.series.map((key) => ({
        key,
        x: [Number(key.source.slice('rank-'.length))],
        y: [1],
        total: 1,
        newest: 0,
      })),
    );
  };
  const nothing = () => Promise.resolve([]);
  return { asked, store: { series, lines: nothing, catalogue: nothing } };
}

it('has the evaluations of every rank that had rank 0’s part, as one curve, and the last one’s step times', async () => {
  const { asked, store } = bench();
  const html = await writeReport(store, fewer, 'en');
  expect(asked.filter((name) => name.includes('eval top1'))).toEqual([
    'rank-0 eval top1',
    'rank-1 eval top1',
  ]);
  expect(asked.filter((name) => name.includes('seconds'))).toEqual([
    'rank-1 step data_seconds',
    'rank-1 step compute_seconds',
    'rank-1 step communication_seconds',
  ]);
  expect(html).toContain('Step time of rank 1');
  const [, accuracy = ''] = html.match(/<figure>.*?<\/figure>/g) ?? [];
  expect(accuracy.match(/<circle/g)).toHaveLength(2);
  expect(accuracy.match(/Validation/g)).toHaveLength(1);
});

it('has no heading for curves where no chart has a value', async () => {
  const { store } = bench();
  const empty = { ...store, series: () => Promise.resolve([]) };
  expect(await writeReport(empty, fewer, 'en')).not.toContain('<h2>Curves</h2>');
  expect(await writeReport(store, fewer, 'en')).toContain('<h2>Curves</h2>');
});

it('has the scalars of an own script, losses and accuracies first, in place of the trainer’s results', async () => {
  const lab = emptyLab('lab', 'Lab');
  const source = { type: 'folder', path: '/x' } as const;
  const script = { source, file: 'a.py', arguments: '' };
  const run = runRecord('r', {
    ...{ ranks: [0, 1].map(rank), createdAt: 1000, step: 3 },
    lab: { ...lab, experiment: { ...lab.experiment, script } },
  });
  const entry = (of: number, name: string, steps: number) => ({
    ...{ source: `rank-${of}` as const, kind: 'scalar', field: `values.${name}` },
    ...{ points: 3, steps, epochs: 0 },
  });
  const catalogue = [
    entry(0, 'a<b', 0),
    entry(0, 'val/loss', 3),
    entry(1, 'val/loss', 3),
    entry(0, 'acc', 3),
  ];
  const { store } = bench();
  const series = (query: SeriesQuery) =>
    Promise.resolve(
      query.series.map((key) => {
        const x = query.x === 't' ? [1010, 1020, 1030] : [1, 2, 3];
        return { key, x, y: key.field === 'values.a<b' ? [7, 7, 7] : [0.9, 0.25, 0.5], total: 3, newest: 0 };
      }),
    );
  const html = await writeReport(
    { ...store, series, catalogue: () => Promise.resolve(catalogue) },
    run,
    'en',
  );
  const rows = [...html.matchAll(/<th scope="row">([^<]*)<\/th><td>([^<]*)<\/td>/g)].map((row) =>
    row.slice(1),
  );
  expect(rows.slice(1, 7)).toEqual([
    ['Steps', '3'],
    ['acc, last', '0.5'],
    ['acc, highest', '0.9'],
    ['val/loss, last', '0.5'],
    ['val/loss, lowest', '0.25'],
    ['a&lt;b, last', '7'],
  ]);
  const figures = html.match(/<figure>.*?<\/figure>/g) ?? [];
  expect(figures.map((figure) => /<figcaption>(.*?)<\/figcaption>/.exec(figure)?.[1])).toEqual([
    'acc',
    'val/loss',
    'a&lt;b',
  ]);
  expect(figures.map((figure) => figure.match(/<path/g)?.length)).toEqual([1, 2, 1]);
  expect(figures[2]).toContain('seconds since the start');
  expect(figures[2]).toContain('>30</text>');
});

it('fails as its caller expects where the curves of a script cannot be read', async () => {
  const { store } = bench();
  const script = { source: { type: 'folder' as const, path: '/p' }, file: 'train.py', arguments: '' };
  const { lab } = runRecord('r');
  const run = runRecord('r', { lab: { ...lab, experiment: { ...lab.experiment, script } } });
  const catalogue = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return [
      { source: 'rank-0' as const, kind: 'scalar', field: 'values.loss', points: 3, steps: 3, epochs: 0 },
    ];
  };
  const series = () => Promise.reject(new Error('gone'));
  await expect(writeReport({ ...store, catalogue, series }, run, 'en')).rejects.toThrow('gone');
});
