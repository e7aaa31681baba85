import { describe, expect, it } from 'vitest';
import { bandOf, meanOutside } from './band.ts';
import type { Track } from './track.ts';

const track = (points: [number, number | null][]): Track => ({
  x: points.map(([x]) => x),
  y: points.map(([, y]) => y),
  version: 1,
});

describe('a band over ranks', () => {
  it('has minimum, maximum and mean at each position', () => {
    const band = bandOf(
      [
        track([
          [0, 1],
          [1, 2],
          [2, 3],
        ]),
        track([
          [0, 3],
          [1, 4],
          [2, 9],
        ]),
        undefined,
      ],
      3,
    );
    expect(band.low).toEqual([1, 2, 3]);
    expect(band.high).toEqual([3, 4, 9]);
    expect(band.mean).toEqual([2, 3, 6]);
    expect(band.x).toEqual([0, 1, 2]);
  });

  it('leads to the mean of the points outside the range, where all lie at one x', () => {
    const one = { ...track([]), before: { x: 1, y: 2 }, after: { x: 3, y: 5 } };
    const two = { ...track([]), before: { x: 1, y: 4 }, after: { x: 4, y: 5 } };
    expect(meanOutside([one, two])).toEqual({ before: { x: 1, y: 3 }, after: undefined });
    expect(meanOutside([one, undefined])).toEqual({ before: undefined, after: undefined });
  });

  it('combines points at different x, keeps spikes, and omits gaps', () => {
    const many = track(Array.from({ length: 1000 }, (_, x) => [x, x === 517 ? 100 : 1]));
    const few = track([
      [3, 0.5],
      [999, null],
    ]);
    const band = bandOf([many, few], 50);
    expect(band.x.length).toBe(50);
    expect(Math.max(...band.high)).toBe(100);
    expect(band.low[0]).toBe(0.5);
    expect(band.x.every((x, i) => i === 0 || x > (band.x[i - 1] ?? x))).toBe(true);
  });

  it('has the mean of the values, not of the extremes that the store sends of them', () => {
    // Of 100 values each: one is 50, the others are 0; the maximum lies in another range than the minimum.
    const extremes = (): Track => ({
      ...track([
        [0, 0],
        [5, 50],
        [10, 0],
        [15, 50],
      ]),
      means: [0.5, 0.5, 0.5, 0.5],
      counts: [50, 50, 50, 50],
    });
    const live = track([
      [18, 0],
      [19, 0],
    ]);
    const band = bandOf([extremes(), extremes(), live], 4);
    expect(band.mean.slice(0, 3)).toEqual([0.5, 0.5, 0.5]);
    expect(band.mean[3]).toBeCloseTo(0.5, 1);
    expect(Math.max(...band.high)).toBe(50);
    band.mean.forEach((mean, i) => {
      expect(mean).toBeGreaterThanOrEqual(band.low[i] ?? mean + 1);
      expect(mean).toBeLessThanOrEqual(band.high[i] ?? mean - 1);
    });
  });

  const constant = (y: number, each: number): Track =>
    track(Array.from({ length: 400 / each }, (_, n) => [n * each, y]));

  it.each([10, 40, 100])(
    'of runs has the mean over runs, however many points each has, in %i ranges',
    (buckets) => {
      const [often, seldom] = [constant(1, 1), constant(3, 4)];
      const band = bandOf([often, seldom], buckets, 'tracks');
      expect(new Set(band.mean)).toEqual(new Set([2]));
      expect(new Set(band.low)).toEqual(new Set([1]));
      expect(new Set(band.high)).toEqual(new Set([3]));
    },
  );

  it('of runs has those alone that are there, and leads over no gaps', () => {
    const long = constant(1, 1);
    const short = track([
      [0, 3],
      [100, 3],
      [150, null],
      [200, 3],
      [250, 3],
    ]);
    const { x, mean } = bandOf([long, short], 400, 'tracks');
    const at = (place: number): number | undefined => mean[x.findIndex((one) => one >= place)];
    expect([50, 120, 180, 220, 300].map(at)).toEqual([2, 1, 1, 2, 1]);
    const zoomed = bandOf([long, { ...short, after: { x: 400, y: 5 } }], 400, 'tracks');
    expect(zoomed.mean[325]).toBe(2.5);
  });

  it('is empty without points, and for one point that point', () => {
    expect(bandOf([], 10).x).toEqual([]);
    expect(bandOf([track([[4, 2]])], 10)).toEqual({ x: [4], low: [2], high: [2], mean: [2] });
  });
});
