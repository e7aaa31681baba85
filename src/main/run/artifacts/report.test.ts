import { expect, it } from 'vitest';
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
      query.series.map((key) => ({ key, x: [Number(key.source.slice('rank-'.length))], y: [1], total: 1 })),
    );
  };
  return { asked, store: { series, lines: () => Promise.resolve([]) } };
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
