import { describe, expect, it } from 'vitest';
import type { MetricLine } from '../metrics/metrics.ts';
import {
  firstMember,
  firstMemberOf,
  firstMembers,
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
});
