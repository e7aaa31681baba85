import { expect, it } from 'vitest';
import type { Point, Source } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import type { LinesQuery } from '../../store/contract.ts';
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
  const numbered = await lineNumbers({ lastSeq, lines: () => Promise.resolve([]) }, run);
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

it('a collector is given what is stored of its ranks, which a node may have lost', async () => {
  const run = runRecord('r', { ranks: ranks.map((rank) => ({ ...rank, nodeId: 'n0' })) });
  run.lab.experiment.script = { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: '' };
  const line = (seq: number, at: unknown): Point => ({
    source: 'rank-0',
    line: { v: 1, seq, t: 1, kind: 'scalar', at },
  });
  const stored = [
    ...[line(1, '11111111:90'), line(2, '22222222:40'), line(3, '11111111:120'), line(4, undefined)],
    ...[line(5, '--attempt 9'), line(6, '33333333:1,1'), line(7, 5)],
  ];
  const store = {
    lastSeq: (_: string, source: Source) => Promise.resolve(source === 'rank-0' ? 7 : -1),
    lines: ({ source }: LinesQuery) => Promise.resolve(source === 'rank-0' ? stored : []),
  };
  const numbered = await lineNumbers(store, run);
  const [first] = run.ranks;
  if (first === undefined) throw new Error('no rank');
  const order = collectOrder(run, first, { argv: ['collect'], env: {} });
  expect(numbered(order).argv).toEqual(['collect', '--stored', '0=8,11111111:120,22222222:40']);
});
