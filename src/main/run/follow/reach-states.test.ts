import { expect, it } from 'vitest';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord, RunRecord, RunState } from '../../../shared/run/run.ts';
import { withReach } from './reach-states.ts';

const run = (state: RunState, change: Partial<RunRecord> = {}): RunRecord =>
  runRecord('r', {
    state,
    ranks: ['a', 'b', 'c'].map((nodeId, rank): RankRecord => ({
      ...{ rank, nodeId, nodeName: nodeId, localRank: 0, state: 'running' },
      ...{ argv: [], env: {}, directory: '' },
    })),
    ...change,
  });
const away = new Map([['c', 100]]);
const nobody = new Set<number>();

it('a run waits for the node of a rank that may be running, and no longer once it answers or its rank has ended', () => {
  const waits = withReach(run('running'), away, nobody);
  expect(waits).toMatchObject({ state: 'waiting', unreachable: { c: 100 } });
  expect(waits.ranks.map(({ state }) => state)).toEqual(['running', 'running', 'unreachable']);
  const back = withReach(waits, new Map(), nobody);
  expect(back).toMatchObject({ state: 'running', unreachable: {} });
  expect(back.ranks.map(({ state }) => state)).toEqual(['running', 'running', 'running']);
  expect(withReach(waits, away, new Set([2])).state).toBe('running');
});

it('a run does not wait for a node whose rank the others go on without', () => {
  const memberships = [{ generation: 1, t: 1, step: 5, ranks: [0, 1], lost: [2] }];
  const goesOn = withReach(run('running', { memberships }), away, nobody);
  expect(goesOn).toMatchObject({ state: 'running', unreachable: { c: 100 } });
  expect(goesOn.ranks[2]?.state).toBe('unreachable');
  // It was out of reach before that was known.
  expect(withReach(run('waiting', { memberships }), away, nobody).state).toBe('running');
  expect(withReach(run('running', { memberships }), new Map([['b', 100]]), nobody).state).toBe('waiting');
});
