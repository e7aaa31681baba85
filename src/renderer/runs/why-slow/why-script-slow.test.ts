import { describe, expect, it } from 'vitest';
import type { RankProfile } from '../../../shared/run/rank-profile.ts';
import { whyScriptSlow } from './why-script-slow.ts';

const profile = (
  rank: number,
  shares: RankProfile['shares'],
  places: RankProfile['places'] = [],
): RankProfile => ({ rank, t: 1, seconds: 30, samples: 300, shares, places });
const cold = new Map<number, never>();
const slow = { file: 'train.py', line: 12, function: 'evaluate', text: 'score(model)' } as const;

describe('why an own script is slow', () => {
  it('has nothing to say without profiles', () => {
    expect(whyScriptSlow([], cold)).toEqual([]);
  });

  it('names the data, of one process alone, too', () => {
    const [first, ...rest] = whyScriptSlow([profile(0, { data: 0.7, forward: 0.1, backward: 0.2 })], cold);
    expect(first).toEqual({ code: 'data', share: 0.7, rank: undefined });
    expect(rest).toEqual([]);
  });

  it('tells a straggler, with the line that makes it one, from a slow network', () => {
    const quick = profile(0, { forward: 0.1, backward: 0.2, exchange: 0.7 });
    const late = profile(1, { forward: 0.1, backward: 0.2, other: 0.65, exchange: 0.05 }, [
      { ...slow, share: 0.65, part: 'other' },
    ]);
    const found = whyScriptSlow([quick, late, { ...quick, rank: 2 }], cold);
    expect(found.map(({ code }) => code)).toEqual(['slowRank', 'line']);
    expect(found[0]).toMatchObject({ rank: 1, byLine: true });
    const network = whyScriptSlow([quick, { ...quick, rank: 1 }], cold);
    expect(network).toEqual([{ code: 'network', share: 0.7 }]);
  });

  it('names one of two processes: the one that loads its data slowly', () => {
    const quick = profile(0, { backward: 0.3, exchange: 0.7 });
    const late = profile(1, { backward: 0.3, data: 0.7 });
    expect(whyScriptSlow([quick, late], cold)).toEqual([{ code: 'data', share: 0.7, rank: 1 }]);
  });

  it('names checkpoints and compiling, and computing only where nothing else is found', () => {
    const found = whyScriptSlow([profile(0, { forward: 0.4, saving: 0.3, compile: 0.2, other: 0.1 })], cold);
    expect(found).toEqual([
      { code: 'saving', share: 0.3, rank: 0 },
      { code: 'compile', share: 0.2 },
    ]);
    expect(whyScriptSlow([profile(0, { forward: 0.4, backward: 0.5, data: 0.1 })], cold)[0]).toMatchObject({
      code: 'compute',
    });
  });
});
