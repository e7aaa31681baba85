import { describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab } from '../../shared/lab/lab.ts';
import type { NodeReadiness } from '../../shared/node/provision.ts';
import type { RankRecord, RankState, RunRecord, RunState } from '../../shared/run/run.ts';
import { nodeStatus } from './node-status.ts';

const rank = (index: number, nodeId: string, state: RankState): RankRecord => ({
  rank: index,
  nodeId,
  nodeName: nodeId,
  localRank: 0,
  state,
  argv: [],
  env: {},
  directory: '/r',
});
const run = (state: RunState, ranks: RankRecord[], unreachable: Record<string, number> = {}): RunRecord => ({
  version: 1,
  id: 'r',
  name: 'r',
  labId: 'l',
  lab: emptyLab('l', 'l'),
  state,
  attempt: 1,
  createdAt: 0,
  epochsCompleted: 0,
  epochs: 5,
  step: 0,
  ranks,
  unreachable,
  badLines: 0,
  notes: '',
});
const labOfOne = {
  ...emptyLab('l', 'l'),
  nodes: [
    {
      id: 'a',
      name: 'A',
      kind: 'cpu' as const,
      position: { x: 0, y: 0 },
      placement: defaultPlacement('cpu'),
      access: { type: 'local' as const },
    },
  ] as const,
};
const none = { run: undefined, readiness: undefined, connection: undefined };
const ready: NodeReadiness = { labId: 'l', nodeId: 'a', state: 'ready', steps: [] };
const link = (state: 'connecting' | 'unreachable' | 'refused') => ({
  labId: 'l',
  nodeId: 'a',
  state,
  since: 0,
});

describe('a node’s state', () => {
  it('is idle at first, and ready once prepared', () => {
    expect(nodeStatus('a', none)).toBe('idle');
    expect(nodeStatus('a', { ...none, readiness: ready })).toBe('ready');
    expect(nodeStatus('a', { ...none, readiness: { ...ready, state: 'cancelled' } })).toBe('idle');
    expect(nodeStatus('a', { ...none, readiness: { ...ready, state: 'failed' } })).toBe('failed');
  });

  it('is the most severe of its own ranks during a run', () => {
    const ranks = [rank(0, 'a', 'running'), rank(1, 'a', 'failed'), rank(2, 'b', 'running')];
    expect(nodeStatus('a', { ...none, run: run('running', ranks) })).toBe('failed');
    expect(nodeStatus('b', { ...none, run: run('running', ranks) })).toBe('running');
    expect(nodeStatus('c', { ...none, run: run('running', ranks), readiness: ready })).toBe('ready');
  });

  it('is done only if all of its ranks are', () => {
    const mixed = [rank(0, 'a', 'done'), rank(1, 'a', 'running')];
    expect(nodeStatus('a', { ...none, run: run('running', mixed) })).toBe('running');
    expect(nodeStatus('a', { ...none, run: run('finished', [rank(0, 'a', 'done')]) })).toBe('done');
  });

  it('is unreachable while the run continues', () => {
    const waiting = run('waiting', [rank(0, 'a', 'running')], { a: 12 });
    expect(nodeStatus('a', { ...none, run: waiting })).toBe('unreachable');
  });

  it('waits while the others go on without it, unless it failed by itself', () => {
    const error = (code: 'peer_lost' | 'rank_killed'): RankRecord['error'] => ({ code, params: {} });
    const lost = (code: 'peer_lost' | 'rank_killed'): RunRecord => ({
      ...run('running', [
        rank(0, 'a', 'running'),
        rank(1, 'b', 'running'),
        { ...rank(2, 'c', 'failed'), error: error(code) },
      ]),
      memberships: [{ generation: 1, t: 1, step: 3, ranks: [0, 1], lost: [2] }],
    });
    const of = (record: RunRecord, nodeId: string) =>
      nodeStatus(nodeId, { run: record, readiness: undefined, connection: undefined });
    expect(of(lost('peer_lost'), 'c')).toBe('waiting');
    expect(of(lost('peer_lost'), 'a')).toBe('running');
    expect(of(lost('rank_killed'), 'c')).toBe('failed');
    expect(of({ ...lost('peer_lost'), memberships: undefined }, 'c')).toBe('failed');
    expect(of({ ...lost('peer_lost'), state: 'finished' }, 'c')).toBe('failed');
  });

  it('does not show how a run ended on the machine that its access led to before', () => {
    const access = { type: 'local' } as const;
    const node = { ...labOfOne.nodes[0], access };
    const ended = { ...run('failed', [rank(0, 'a', 'failed')]), lab: { ...labOfOne, nodes: [node] } };
    expect(nodeStatus('a', { ...none, run: ended, access })).toBe('failed');
    const other = {
      type: 'ssh',
      host: 'h',
      port: 22,
      user: 'u',
      authentication: { method: 'agent' },
    } as const;
    expect(nodeStatus('a', { ...none, run: ended, access: other })).toBe('idle');
    expect(nodeStatus('a', { ...none, run: ended, access: other, readiness: ready })).toBe('ready');
  });

  it('shows a new preparation over how the last run ended', () => {
    const ended = run('stopped', [rank(0, 'a', 'stopped')]);
    expect(nodeStatus('a', { ...none, run: ended })).toBe('stopped');
    expect(nodeStatus('a', { ...none, run: ended, readiness: { ...ready, state: 'preparing' } })).toBe(
      'preparing',
    );
    expect(nodeStatus('a', { ...none, run: ended, connection: link('connecting') })).toBe('connecting');
    expect(nodeStatus('a', { ...none, connection: link('refused'), readiness: ready })).toBe('failed');
  });
});
