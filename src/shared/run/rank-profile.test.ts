import { describe, expect, it } from 'vitest';
import type { Point } from '../metrics/metrics.ts';
import { describeLine, describeParts, partsOf, profilesOf } from './rank-profile.ts';

const slow = {
  file: 'train.py',
  line: 12,
  function: 'evaluate',
  text: 'time.sleep(1)',
  share: 0.4,
  part: 'other',
};
const profile = (rank: number, shares: Record<string, number>, places: unknown[] = [slow]) => ({
  rank,
  process: 7,
  seconds: 30,
  samples: 300,
  shares,
  places,
});
const point = (source: string, seq: number, fields: Record<string, unknown>, kind = 'profile'): Point => ({
  source,
  line: { v: 1, seq, t: seq, kind, ...fields },
});

describe('profiles of ranks', () => {
  it('are the newest of each rank, also of several ranks in one file', () => {
    const points = [
      point('rank-0', 1, { profile: profile(1, { data: 1 }) }),
      point('rank-0', 2, { profile: profile(0, { data: 1 }) }),
      point('rank-0', 3, { profile: profile(1, { backward: 0.6, exchange: 0.4 }) }),
    ];
    const [first, second, ...rest] = profilesOf(points);
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ rank: 0, t: 2, shares: { data: 1 }, places: [slow] });
    expect(second).toMatchObject({ rank: 1, t: 3 });
    expect(partsOf(second!)).toEqual([
      { part: 'backward', share: 0.6 },
      { part: 'exchange', share: 0.4 },
    ]);
    expect(describeParts(second!, 'en')).toBe('backward 60.0 %, waiting for other ranks 40.0 %');
    expect(describeParts(second!, 'zh-CN')).toContain('等待其他 rank');
    expect(describeLine(slow)).toBe('train.py:12 evaluate: time.sleep(1)');
  });

  it('leave out an earlier start of the script, and what a node made up', () => {
    const end = point('rank-0', 2, { attempt: 1 }, 'collect_end');
    const before = point('rank-0', 1, { profile: profile(0, { data: 1 }) });
    expect(profilesOf([before, end])).toHaveLength(1);
    const after = point('rank-1', 5, { profile: profile(1, { data: 1 }) });
    const restarted = point('rank-0', 3, { profile: profile(0, { forward: 1 }) });
    const otherEnd = point('rank-1', 4, { attempt: 1 }, 'collect_end');
    expect(profilesOf([before, end, otherEnd, restarted]).map(({ shares }) => shares)).toEqual([
      { forward: 1 },
    ]);
    expect(profilesOf([before, end, restarted, otherEnd, after])).toHaveLength(2);
    for (const bad of [
      null,
      'profile',
      {},
      profile(-1, {}),
      profile(0, { data: 2 }),
      profile(0, { sleeping: 1 }),
      profile(0, { data: Number.NaN }),
      profile(
        0,
        {},
        Array.from({ length: 7 }, () => slow),
      ),
      profile(0, {}, [{ ...slow, text: 'x'.repeat(5000) }]),
    ])
      expect(profilesOf([point('rank-0', 1, { profile: bad })])).toEqual([]);
    const marked = profile(0, { data: 1 }, [{ ...slow, text: 'a\nb\u202Ec' }]);
    expect(profilesOf([point('rank-0', 1, { profile: marked })])[0]?.places[0]?.text).not.toMatch(
      /[\n\u202E]/,
    );
  });
});
