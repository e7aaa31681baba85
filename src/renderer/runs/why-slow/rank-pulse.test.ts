import { describe, expect, it } from 'vitest';
import type { Point } from '../../../shared/metrics/metrics.ts';
import { beat, exchangeRate, ofMembers, slowestRank, speedOf, timesOf } from './rank-pulse.ts';

const step = (rank: number, number: number, fields: Readonly<Record<string, number>>): Point => ({
  source: `rank-${rank}`,
  line: { v: 1, seq: number, t: number, kind: 'step', step: number, ...fields },
});
const rateOf = (...points: Point[]) => exchangeRate(beat(new Map(), points));

describe('how fast ranks exchange', () => {
  it('is what they sent in the time that exchanges took, waited for or hidden: the median of the ranks', () => {
    const steps = [0, 1, 2].flatMap((number) =>
      [1, 2, 9].map((megabytes, rank) =>
        step(rank, number, {
          bytes_sent: megabytes * 1e6,
          communication_seconds: 0.01,
          communication_hidden_seconds: 0.01,
        }),
      ),
    );
    const rate = rateOf(...steps);
    expect(rate?.mbps).toBeCloseTo(800);
    expect(rate?.isUpperBound).toBe(false);
  });
  it('is averaged over steps without an exchange, which local steps have', () => {
    const steps = [0, 1, 2, 3].map((number) =>
      step(0, number, {
        bytes_sent: number === 3 ? 1e6 : 0,
        communication_seconds: number === 3 ? 0.1 : 0,
        communication_hidden_seconds: 0,
      }),
    );
    expect(rateOf(...steps)?.mbps).toBeCloseTo(80);
  });
  it('is an upper bound where it is not known how much was hidden', () => {
    const steps = [0, 1, 2].map((number) =>
      step(0, number, { bytes_sent: 1e6, communication_seconds: 0.01 }),
    );
    const rate = rateOf(...steps);
    expect(rate?.mbps).toBeCloseTo(800);
    expect(rate?.isUpperBound).toBe(true);
  });
  it('is not said of a few steps, nor of one rank that sends nothing', () => {
    expect(rateOf(step(0, 0, { bytes_sent: 1e6, communication_seconds: 0.01 }))).toBeUndefined();
    const alone = [0, 1, 2].map((number) => step(0, number, { bytes_sent: 0, communication_seconds: 0 }));
    expect(rateOf(...alone)).toBeUndefined();
  });
});

it('is that of the ranks that are there: one that was lost is no straggler', () => {
  const times = (data: number) => ({
    ...{ data_seconds: data, compute_seconds: 0.1, communication_seconds: 0, step_seconds: data + 0.1 },
    images_per_second: 10,
  });
  const steps = [0, 1, 2].flatMap((number) =>
    [5, 0.1, 0.1].map((data, rank) => step(rank, number, times(data))),
  );
  const pulse = beat(new Map(), steps);
  expect(slowestRank(ofMembers(pulse, {}))).toBe(0);
  const memberships = [{ generation: 1, t: 5, step: 3, ranks: [1, 2], lost: [0] }];
  const left = ofMembers(pulse, { memberships });
  expect(slowestRank(left)).toBeUndefined();
  expect(timesOf(left).map(({ rank }) => rank)).toEqual([1, 2]);
  expect(speedOf(left, 0)).toEqual({ step: undefined, imagesPerSecond: undefined });
  expect(speedOf(left, 1).imagesPerSecond).toBeCloseTo(10);
});
