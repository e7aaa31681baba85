import { expect, it } from 'vitest';
import type { Source } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { lineNumbers } from './line-numbers.ts';
import { collectOrder, monitorOrder, rankOrder } from './orders.ts';

const ranks = [0, 1].map((rank): RankRecord => ({
  ...{ rank, nodeId: `n${rank}`, nodeName: `N${rank}`, localRank: 0 },
  ...{ state: 'pending', argv: [], env: { OMP_NUM_THREADS: '2' }, directory: `/home/u/run/rank-${rank}` },
}));

it('a later attempt counts its lines from what is stored, each rank and each monitor by itself', async () => {
  const run = runRecord('r', { ranks });
  const last: Readonly<Record<string, number>> = { 'rank-0': 41, 'monitor-n1': 6 };
  const lastSeq = (_: string, source: Source): Promise<number> => Promise.resolve(last[source] ?? -1);
  const numbered = await lineNumbers({ lastSeq }, run);
  const firsts = ranks.flatMap((rank) =>
    [rankOrder(run, rank), monitorOrder(run, rank), collectOrder(run, rank, { argv: [], env: {} })].map(
      (order) => numbered(order).env.RINGLAB_FIRST_SEQ,
    ),
  );
  expect(firsts).toEqual(['42', undefined, undefined, undefined, '7', undefined]);
  const [first] = ranks;
  if (first !== undefined)
    expect(numbered(rankOrder(run, first)).env).toMatchObject({ OMP_NUM_THREADS: '2' });
});
