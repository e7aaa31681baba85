import { describe, expect, it } from 'vitest';
import type { RankTimes } from './rank-pulse.ts';
import { whySlow, type RankHeat } from './why-slow.ts';

/** Every rank's step is as long as the slowest one's: the others wait in the reduction. */
function ranks(own: readonly { data?: number; compute?: number }[], network: number): RankTimes[] {
  const longest = Math.max(...own.map(({ data = 0, compute = 0.2 }) => data + compute));
  const whole = longest + network;
  return own.map(({ data = 0, compute = 0.2 }, rank) => ({
    rank,
    whole,
    data,
    compute,
    waited: whole - data - compute,
  }));
}
const cold = new Map<number, RankHeat>();
const codes = (found: ReturnType<typeof whySlow>): string[] => found.map(({ code }) => code);

describe('why it is slow', () => {
  it('names the straggler, not the network, though all steps are equally long', () => {
    const [first, ...rest] = whySlow({ ranks: ranks([{}, { compute: 0.5 }, {}], 0.01), heat: cold });
    expect(first).toMatchObject({ code: 'slowRank', rank: 1, slower: 2.5 });
    expect(rest).toEqual([]);
  });

  it('names the straggler of two ranks by the other one, not by a mean of which it is half itself', () => {
    const [little, ...rest] = whySlow({ ranks: ranks([{}, { compute: 0.26 }], 0.01), heat: cold });
    expect(little).toMatchObject({ code: 'slowRank', rank: 1 });
    expect(little).toHaveProperty('slower', expect.closeTo(1.3, 5));
    expect(rest).toEqual([]);
    const [much] = whySlow({ ranks: ranks([{ compute: 0.4 }, {}], 0.01), heat: cold });
    expect(much).toMatchObject({ rank: 0, slower: 2 });
    expect(much).toHaveProperty('share', expect.closeTo(0.2 / 0.41, 5));
  });

  it('has no factor for a straggler beside which the others compute nothing', () => {
    const [first] = whySlow({ ranks: ranks([{ compute: 0 }, {}], 0.01), heat: cold });
    expect(first).toMatchObject({ code: 'slowRank', rank: 1, slower: undefined });
  });

  it('names the network if no rank is slow and all wait', () => {
    const [first] = whySlow({ ranks: ranks([{}, {}, {}], 0.6), heat: cold });
    expect(first).toMatchObject({ code: 'network' });
    expect(first).toHaveProperty('share', expect.closeTo(0.75, 5));
  });

  it('names the data if ranks wait for input: all of them, or one', () => {
    expect(whySlow({ ranks: ranks([{ data: 0.2 }, { data: 0.2 }], 0.01), heat: cold })[0]).toMatchObject({
      code: 'data',
      rank: undefined,
    });
    expect(whySlow({ ranks: ranks([{}, { data: 0.4 }, {}], 0.01), heat: cold })[0]).toMatchObject({
      code: 'data',
      rank: 1,
    });
    expect(whySlow({ ranks: ranks([{}, { data: 0.4 }], 0.01), heat: cold })).toMatchObject([
      { code: 'data', rank: 1 },
    ]);
  });

  it('finds a GPU that lowered its clock by heat, as the cause of the straggler', () => {
    const heat = new Map<number, RankHeat>([
      [0, { model: 'G', celsius: 70, megahertz: 2500 }],
      [1, { model: 'G', celsius: 89, megahertz: 1100 }],
    ]);
    expect(codes(whySlow({ ranks: ranks([{}, { compute: 0.5 }, {}], 0.01), heat }))).toEqual([
      'slowRank',
      'throttled',
    ]);
    heat.set(1, { model: 'G', celsius: 89, megahertz: 2480 });
    expect(codes(whySlow({ ranks: ranks([{}, { compute: 0.5 }, {}], 0.01), heat }))).toEqual(['slowRank']);
  });

  it('compares clocks of one model only', () => {
    const heat = new Map<number, RankHeat>([
      [0, { model: 'H100', celsius: 60, megahertz: 1980 }],
      [1, { model: 'A100', celsius: 84, megahertz: 1410 }],
    ]);
    expect(codes(whySlow({ ranks: ranks([{}, {}], 0.005), heat }))).toEqual(['compute']);
  });

  it('sorts by cost', () => {
    expect(codes(whySlow({ ranks: ranks([{ data: 0.1 }, { data: 0.1 }], 0.5), heat: cold }))).toEqual([
      'network',
      'data',
    ]);
  });

  it('reports that nothing waits, and nothing at all before the first steps', () => {
    expect(codes(whySlow({ ranks: ranks([{}, {}], 0.005), heat: cold }))).toEqual(['compute']);
    expect(codes(whySlow({ ranks: ranks([{}], 0), heat: cold }))).toEqual(['compute']);
    expect(whySlow({ ranks: [], heat: cold })).toEqual([]);
  });
});
