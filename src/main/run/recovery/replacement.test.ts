import { describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument, type LabLink } from '../../../shared/lab/lab.ts';
import { Recovery } from '../../../shared/run/recovery.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { replacementsOf, withReplacements } from './replacement.ts';

const node = (id: string): LabDocument['nodes'][number] => ({
  ...{ id, name: id.toUpperCase(), kind: 'cpu', position: { x: 0, y: 0 } },
  ...{ placement: defaultPlacement('cpu'), access: { type: 'local' } },
});
const link = (...ends: [string, string]): LabLink => ({
  ...{ id: ends.join(''), ends, bandwidthMbps: 100, delayMs: 1, lossPercent: 0 },
});
const drawing = (ids: string, ...links: LabLink[]): LabDocument => ({
  ...emptyLab('lab', 'Lab'),
  nodes: ids.split('').map(node),
  links,
});
const lab: LabDocument = {
  ...drawing('abc', link('a', 'b'), link('b', 'c')),
  experiment: { ...emptyLab('lab', 'Lab').experiment, onLostRank: 'continue' },
};
const ranks = ['a', 'b', 'b', 'c'].map((nodeId, rank): RankRecord => ({
  ...{ rank, nodeId, nodeName: nodeId.toUpperCase(), localRank: rank === 2 ? 1 : 0 },
  ...{ state: 'running', argv: [], env: {}, directory: '/' },
}));
const without = (lost: number[], change: Partial<RunRecord> = {}): RunRecord =>
  runRecord('r', {
    ...{ lab, ranks, nodeOrder: ['c', 'b', 'a'] },
    memberships: [
      { generation: 1, t: 1, step: 7, ranks: [0, 1, 2, 3].filter((one) => !lost.includes(one)), lost },
    ],
    ...change,
  });
const refused = { code: 'run_wrong_state' };

describe('a node of the drawing in the place of a lost one', () => {
  it('has its ranks, its place in the order, and the links that are drawn to the others', () => {
    const drawn = drawing(
      'abcde',
      link('a', 'b'),
      link('b', 'c'),
      link('d', 'b'),
      link('d', 'c'),
      link('d', 'e'),
    );
    const replaces = replacementsOf(without([3]), drawn, [{ nodeId: 'c', by: 'd' }]);
    const run = withReplacements(without([3], { recovery: { restarts: [], rejoins: true, replaces } }));
    expect(run.lab.nodes.map(({ id }) => id)).toEqual(['a', 'b', 'd']);
    expect(run.lab.links.map(({ id }) => id)).toEqual(['ab', 'db']);
    expect(run.lab.experiment).toEqual(lab.experiment);
    expect(run.ranks.map(({ nodeId, nodeName }) => [nodeId, nodeName])).toEqual([
      ['a', 'A'],
      ['b', 'B'],
      ['b', 'B'],
      ['d', 'D'],
    ]);
    expect(run.nodeOrder).toEqual(['d', 'b', 'a']);
    // Its folders are still to be removed from it.
    const [, , lost] = lab.nodes;
    expect(run.recovery).toEqual({ restarts: [], rejoins: true, left: [{ node: lost, directory: '/' }] });
    expect(Recovery.parse(run.recovery)).toEqual(run.recovery);
  });

  it('goes for several at once, whose link to each other is one', () => {
    const drawn = drawing('abcde', link('a', 'd'), link('d', 'e'));
    const wanted = [
      { nodeId: 'b', by: 'd' },
      { nodeId: 'c', by: 'e' },
    ];
    const replaces = replacementsOf(without([1, 2, 3]), drawn, wanted);
    const run = withReplacements(without([1, 2, 3], { recovery: { restarts: [], replaces } }));
    expect(run.ranks.map(({ nodeId }) => nodeId)).toEqual(['a', 'd', 'd', 'e']);
    expect(run.lab.links.map(({ id }) => id)).toEqual(['ad', 'de']);
  });

  it('has the links of the lost one where none to the others is drawn', () => {
    const wanted = [
      { nodeId: 'b', by: 'd' },
      { nodeId: 'c', by: 'e' },
    ];
    const replaces = replacementsOf(without([1, 2, 3]), drawing('abcde'), wanted);
    const run = withReplacements(without([1, 2, 3], { recovery: { restarts: [], replaces } }));
    expect(run.lab.links.map(({ id, ends }) => [id, ...ends])).toEqual([
      ['ab', 'a', 'd'],
      ['bc', 'd', 'e'],
    ]);
  });

  it('is refused where a rank of the old one trains, and where the new one is none of the drawing, has a part in the run, or is named twice', () => {
    const drawn = drawing('abcde');
    for (const [lost, ...wanted] of [
      [[1], { nodeId: 'b', by: 'd' }],
      [[3], { nodeId: 'a', by: 'd' }],
      [[3], { nodeId: 'c', by: 'x' }],
      [[3], { nodeId: 'c', by: 'b' }],
      [[1, 2, 3], { nodeId: 'b', by: 'd' }, { nodeId: 'c', by: 'd' }],
      [[1, 2, 3], { nodeId: 'b', by: 'd' }, { nodeId: 'b', by: 'e' }],
    ] as const)
      expect(() => replacementsOf(without([...lost]), drawn, wanted)).toThrow(
        expect.objectContaining(refused),
      );
    expect(() =>
      replacementsOf(without([3], { state: 'stopping' }), drawn, [{ nodeId: 'c', by: 'd' }]),
    ).toThrow(expect.objectContaining(refused));
  });
});
