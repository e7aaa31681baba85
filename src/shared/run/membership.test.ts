import { describe, expect, it } from 'vitest';
import type { MetricLine } from '../metrics/metrics.ts';
import {
  canRejoin,
  canTakeOut,
  firstMember,
  firstMemberOf,
  firstMembers,
  lostMembers,
  steadyMember,
  membershipOf,
  membersLeft,
  withMembership,
  type Membership,
} from './membership.ts';

const line = (more: object): MetricLine => ({ v: 1, seq: 3, t: 100, kind: 'membership', ...more });
const ranks = [0, 1, 2, 3].map((rank) => ({ rank, node: `N${rank + 1}` }));
const of = (generation: number, left: number[], lost: number[]): Membership => ({
  generation,
  t: 100,
  step: 7,
  ranks: left,
  lost,
});

describe('the members of a run that lost ranks', () => {
  it('are what the trainer writes, and nothing else', () => {
    const written = {
      generation: 1,
      step: 7,
      ranks: [0, 2],
      lost: [1],
      why: 'rank 1 was lost',
      counted: [4, 4, 4],
    };
    expect(membershipOf(line(written))).toEqual({ ...of(1, [0, 2], [1]) });
    for (const wrong of [
      { generation: 0 },
      { ranks: [] },
      { lost: ['1'] },
      { step: -1 },
      { step: 1e300 },
      { ranks: [0, 1.5] },
      { generation: undefined },
    ])
      expect(membershipOf(line({ ...written, ...wrong }))).toBeUndefined();
    expect(membershipOf({ ...line(written), kind: 'step' })).toBeUndefined();
  });

  it('become fewer, each generation once', () => {
    const first = of(1, [0, 2, 3], [1]);
    const run = { ranks, memberships: withMembership({ ranks }, first) };
    expect(run.memberships).toEqual([first]);
    // Every rank that is left writes the same.
    expect(withMembership(run, first)).toBeUndefined();
    expect(withMembership(run, of(2, [2, 3], [0]))).toHaveLength(2);
    // A rank that was lost, or that there never was, cannot be there.
    expect(withMembership(run, of(2, [1, 2], [0]))).toBeUndefined();
    expect(withMembership(run, of(2, [2, 3], [7]))).toBeUndefined();
    expect(withMembership(run, of(2, [0, 2, 3], [1]))).toBeUndefined();
    expect(withMembership(run, of(2, [2, 2], [0]))).toBeUndefined();
  });

  it('have a first one, which need not be rank 0', () => {
    const run = { ranks, memberships: [of(1, [1, 2, 3], [0]), of(2, [2, 3], [1])] };
    expect(firstMember(run)).toBe(2);
    expect(firstMemberOf(run)).toEqual({ rank: 2, node: 'N3' });
    expect(firstMembers(run)).toEqual([0, 1, 2]);
    expect(membersLeft(run, 4)).toBe(2);
    expect([firstMember({}), membersLeft({}, 4)]).toEqual([0, 4]);
    expect(firstMemberOf({ ranks })).toEqual({ rank: 0, node: 'N1' });
  });

  it('keep which ranks had rank 0’s part in earlier attempts', () => {
    expect(firstMembers({ formerFirsts: [0, 2] })).toEqual([0, 2]);
    expect(firstMembers({ formerFirsts: [0, 2], memberships: [of(1, [1, 2], [0])] })).toEqual([0, 2, 1]);
  });

  it('have one whose steps go through the whole run', () => {
    expect(steadyMember({})).toBe(0);
    expect(steadyMember({ memberships: [of(1, [1, 2, 3], [0]), of(2, [2, 3], [1])] })).toBe(2);
    // All are back: rank 0 has no steps of the time without it.
    expect(steadyMember({ formerFirsts: [0, 1] })).toBe(1);
    expect(steadyMember({ formerFirsts: [0, 1], memberships: [of(1, [0, 2], [1])] })).toBe(2);
    // Rank 0 was lost once, rank 3 is now: rank 1 has all steps.
    const absences = [{ ranks: [0], from: 1, step: 1 }];
    const later = { formerFirsts: [0, 1], memberships: [of(1, [0, 1, 2], [3])] };
    expect(steadyMember({ ...later, recovery: { absences } })).toBe(1);
    expect(steadyMember(later)).toBe(1);
    // Rank 2 took the part before rank 1 did, and was there all the time.
    const both = [
      { ranks: [0, 1], from: 1, step: 1 },
      { ranks: [0], from: 9, step: 9 },
    ];
    expect(steadyMember({ formerFirsts: [0, 2, 1], recovery: { absences: both } })).toBe(2);
    // Both that had the part were lost once; rank 2, which never had it, was there all the time.
    const each = { absences: [...absences, { ranks: [1], from: 9, step: 9 }] };
    const allBack = { formerFirsts: [0, 1], recovery: each };
    expect(steadyMember({ ...allBack, ranks })).toBe(2);
    expect(steadyMember({ ...allBack, worldSize: 4 })).toBe(2);
    expect(steadyMember({ ...allBack, worldSize: 2 })).toBe(1);
  });

  it('are lost until all start again', () => {
    expect(lostMembers({ ranks })).toEqual([]);
    expect(lostMembers({ ranks, memberships: [of(1, [0, 2, 3], [1]), of(2, [2, 3], [0])] })).toEqual(
      ranks.slice(0, 2),
    );
  });
});

describe('a node', () => {
  const lab = { experiment: { onLostRank: 'continue' } } as const;
  const placed = [0, 1, 2, 3].map((rank) => ({ rank, nodeId: rank < 2 ? 'a' : rank === 2 ? 'b' : 'c' }));
  const run = { state: 'running', ranks: placed, lab };

  it('can be taken out where the others are half at least', () => {
    expect(canTakeOut(run, 'a')).toBe(true);
    expect(canTakeOut(run, 'b')).toBe(true);
    expect(canTakeOut({ ...run, onLostRank: 'stop' }, 'b')).toBe(false);
    expect(canTakeOut({ ...run, lab: { experiment: {} }, onLostRank: 'continue' }, 'b')).toBe(true);
    expect(canTakeOut({ ...run, memberships: [of(1, [0, 1, 2], [3])] }, 'a')).toBe(false);
    expect(canTakeOut({ ...run, memberships: [of(1, [0, 1], [2, 3])] }, 'a')).toBe(false);
  });

  it('cannot where it does not take part, or the others would not go on', () => {
    expect(canTakeOut(run, 'd')).toBe(false);
    expect(canTakeOut({ ...run, memberships: [of(1, [0, 1, 2], [3])] }, 'c')).toBe(false);
    expect(canTakeOut({ ...run, state: 'stopping' }, 'b')).toBe(false);
    expect(canTakeOut({ ...run, lab: { experiment: {} } }, 'b')).toBe(false);
    const onCluster = { experiment: { ...lab.experiment, where: { type: 'slurm' } } };
    expect(canTakeOut({ ...run, lab: onCluster }, 'b')).toBe(false);
    expect(canTakeOut({ ...run, lab: { experiment: { ...lab.experiment, script: {} } } }, 'b')).toBe(false);
  });

  it('can be taken in again while the others train, on machines', () => {
    const memberships = [of(1, [0, 1, 2], [3])];
    expect(canRejoin({ state: 'running', memberships }, lab.experiment, 4)).toBe(true);
    expect(canRejoin({ state: 'running' }, lab.experiment, 4)).toBe(false);
    expect(canRejoin({ state: 'stopping', memberships }, lab.experiment, 4)).toBe(false);
    expect(canRejoin({ state: 'running', memberships }, { where: { type: 'kubernetes' } }, 4)).toBe(false);
  });
});
