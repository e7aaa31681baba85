import { describe, expect, it } from 'vitest';
import { RinglabError, toWireError } from '../base/errors.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../lab/lab.ts';
import { runRecord } from './run.fixture.ts';
import type { RankRecord, RunRecord } from './run.ts';
import { wayBack } from './way-back.ts';

const lab: LabDocument = {
  ...emptyLab('lab', 'Lab'),
  nodes: ['a', 'b', 'c', 'd'].map((id) => ({
    ...{ id, name: id.toUpperCase(), kind: 'cpu' as const, position: { x: 0, y: 0 } },
    ...{ placement: defaultPlacement('cpu'), access: { type: 'local' as const } },
  })),
  links: ['ab', 'bd', 'cd', 'ac'].map((id) => ({
    ...{ id, ends: [id[0] ?? '', id[1] ?? ''] as [string, string], bandwidthMbps: 10 },
    ...{ delayMs: 0, lossPercent: 0 },
  })),
};
const cutOff = toWireError(new RinglabError('peer_lost', { rank: 2, node: 'C', said: '' }));
const killed = toWireError(new RinglabError('rank_killed', { rank: 2, node: 'C', signal: 'SIGKILL' }));
const rank = (number: number, change: Partial<RankRecord> = {}): RankRecord => ({
  ...{ rank: number, nodeId: 'abcd'[number] ?? '', nodeName: 'ABCD'[number] ?? '', localRank: 0 },
  ...{ state: 'running', argv: [], env: {}, directory: '/' },
  ...change,
});
const without = (
  lost: readonly number[],
  end: Partial<RankRecord>,
  change: Partial<RunRecord> = {},
): RunRecord => {
  const ranks = [0, 1, 2, 3].filter((one) => !lost.includes(one));
  return runRecord('r', {
    lab,
    ranks: [0, 1, 2, 3].map((one) => rank(one, lost.includes(one) ? end : {})),
    memberships: [{ generation: 1, t: 100, step: 7, ranks, lost: [...lost] }],
    ...change,
  });
};
const away = { state: 'failed', error: cutOff } as const;

describe('lost ranks of a run that goes on', () => {
  it('wait for all links that are down, by their names', () => {
    expect(wayBack(without([3], away), ['bd', 'cd'], 1000)).toEqual({
      waits: 'links',
      names: ['B–D', 'C–D'],
    });
    expect(wayBack(without([3], away), ['other lab'], 1000)).toEqual({ waits: 'nothing' });
  });

  it('wait for nodes that are not reached, each once', () => {
    const run = without([2, 3], away, { unreachable: { c: 900, d: 900 } });
    expect(wayBack(run, ['cd'], 1000)).toEqual({ waits: 'nodes', names: ['C', 'D'] });
  });

  it('wait for the end of a process that has not noticed', () => {
    expect(wayBack(without([3], {}), ['cd'], 1000)).toEqual({ waits: 'end' });
  });

  it('wait for the user where they failed, or rejoined too often', () => {
    expect(wayBack(without([3], { state: 'failed', error: killed }), ['cd'], 1000)).toEqual({
      waits: 'user',
    });
    const recovery = { restarts: [], rejoined: [900, 910] };
    const limited = { ...lab, experiment: { ...lab.experiment, restartsPerHour: 2 } };
    expect(wayBack(without([3], away, { recovery, lab: limited }), [], 1000)).toEqual({ waits: 'user' });
  });

  it('wait for the user where one of them failed or was taken out, though another was only away', () => {
    const both = without([2, 3], away);
    const with2 = (end: Partial<RankRecord>, change: Partial<RunRecord> = {}): RunRecord => ({
      ...both,
      ...change,
      ranks: both.ranks.map((one) => (one.rank === 2 ? rank(2, end) : one)),
    });
    expect(wayBack(both, [], 1000)).toEqual({ waits: 'nothing' });
    expect(wayBack(with2({ state: 'failed', error: killed }), [], 1000)).toEqual({ waits: 'user' });
    const takenOut = { state: 'stopped' } as const;
    expect(wayBack(with2(takenOut), [], 1000)).toEqual({ waits: 'user' });
    // A machine that is switched off is not waited for.
    expect(wayBack(with2(takenOut, { unreachable: { c: 900 } }), [], 1000)).toEqual({ waits: 'user' });
  });

  it('are not named where none is lost, the run has ended, or all are about to start again', () => {
    expect(wayBack(without([], away, { memberships: undefined }), [], 1000)).toBeUndefined();
    expect(wayBack(without([3], away, { state: 'finished' }), [], 1000)).toBeUndefined();
    const recovery = { restarts: [], rejoins: true as const };
    expect(wayBack(without([3], away, { recovery }), [], 1000)).toBeUndefined();
  });
});
