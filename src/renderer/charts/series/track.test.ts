import { describe, expect, it } from 'vitest';
import {
  emptyTrack,
  gapsOf,
  insert,
  joinedTrack,
  lastOf,
  nearest,
  putAfter,
  smooth,
  trackOf,
} from './track.ts';

const key = { source: 'rank-0', kind: 'step', field: 'loss' };
const filled = (points: readonly (readonly [number, number])[]) => {
  const track = emptyTrack();
  for (const [x, y] of points) insert(track, x, y, x);
  return track;
};

describe('a track', () => {
  it('keeps one point each, in order, for repeated and unordered lines (fault 30)', () => {
    const track = filled([
      [0, 3],
      [1, 2.5],
      [3, 1.5],
      [1, 2.5],
      [2, 2],
      [3, 1.5],
      [0, 3],
    ]);
    expect(track.x).toEqual([0, 1, 2, 3]);
    expect(track.y).toEqual([3, 2.5, 2, 1.5]);
  });

  it('of several series has the points of all in order, the first one’s where they meet', () => {
    const first = filled([
      [0, 1],
      [10, 2],
      [60, 7],
    ]);
    const other = filled([
      [10, 20],
      [20, 3],
      [40, Number.NaN],
    ]);
    const joined = joinedTrack([first, undefined, other]);
    expect(joined.x).toEqual([0, 10, 20, 40, 60]);
    expect(joined.y).toEqual([1, 2, 3, null, 7]);
  });

  it('leads out of the range to the nearest points of what it was joined from', () => {
    const base = { key, x: [], y: [], total: 0, newest: 9 };
    const [near, far] = [
      { x: 4, y: 1 },
      { x: 2, y: 8 },
    ];
    const first = trackOf({ ...base, before: far, after: { x: 30, y: 3 } });
    const other = trackOf({ ...base, before: near });
    putAfter(other, { x: 12, y: 5 });
    putAfter(other, { x: 20, y: 6 });
    expect(joinedTrack([first, other])).toMatchObject({ before: near, after: { x: 12, y: 5 } });
  });

  it('keeps stored points where live ones overlap them, and continues after them', () => {
    const track = trackOf({ key, x: [0, 10, 20, 30], y: [4, 3, 2, 1], total: 300, newest: 30 });
    for (const x of [20, 25, 30, 31]) insert(track, x, x / 100, x);
    expect(track.x).toEqual([0, 10, 20, 25, 30, 31]);
    expect(track.y).toEqual([4, 3, 2, 0.25, 1, 0.31]);
  });

  it('keeps several lines at one x, each once', () => {
    const track = trackOf({ key, x: [3, 3, 4], y: [9, 8, 7], total: 3, newest: 2 });
    const live = [4, 4, 5, 5].map((x, i) => [x, i, 3 + i] as const);
    for (const [x, y, seq] of live) insert(track, x, y, seq);
    // A line of the answer, and a repeated batch.
    insert(track, 4, 7, 2);
    for (const [x, y, seq] of live) insert(track, x, y, seq);
    expect(track.x).toEqual([3, 3, 4, 4, 4, 5, 5]);
    expect(track.y).toEqual([9, 8, 7, 0, 1, 2, 3]);
  });

  it('does not change, nor its version, for a point that it has', () => {
    const track = filled([[1, 1]]);
    const { version } = track;
    insert(track, 1, 1, 1);
    expect(track.version).toBe(version);
    insert(track, 2, 1, 2);
    expect(track.version).toBe(version + 1);
  });

  it('marks non-finite values as gaps, and ignores a non-finite x (fault 31)', () => {
    const track = filled([
      [0, 1],
      [1, Number.NaN],
      [2, Number.POSITIVE_INFINITY],
      [3, 1e308],
      [4, Number.NEGATIVE_INFINITY],
      [Number.NaN, 5],
    ]);
    expect(track.y).toEqual([1, null, null, 1e308, null]);
    expect(gapsOf(track, 10)).toEqual([{ from: 0, to: 4 }]);
    expect(lastOf(track)).toEqual({ x: 4, y: null });
  });

  it('joins gaps if there are too many to mark', () => {
    const track = filled(Array.from({ length: 100 }, (_, i) => [i, i % 4 === 1 ? Number.NaN : 1] as const));
    expect(gapsOf(track, 3)).toHaveLength(3);
    expect(gapsOf(track, 3).at(-1)?.to).toBe(98);
  });

  it('finds the nearest point, also beyond its ends, and none if it is empty', () => {
    const track = filled([
      [0, 1],
      [10, 2],
    ]);
    expect(nearest(track, -5)?.x).toBe(0);
    expect(nearest(track, 4)?.x).toBe(0);
    expect(nearest(track, 6)?.x).toBe(10);
    expect(nearest(track, 99)?.x).toBe(10);
    expect(nearest(emptyTrack(), 1)).toBeUndefined();
  });
});

describe('smoothing', () => {
  it('does not change a constant, nor a curve at weight 0', () => {
    const flat = filled(Array.from({ length: 50 }, (_, i) => [i, 7] as const));
    for (const y of smooth(flat, 0.9)) expect(y).toBeCloseTo(7, 9);
    const ramp = filled([
      [0, 0],
      [1, 1],
    ]);
    expect(smooth(ramp, 0)).toEqual([0, 1]);
  });

  it('reduces noise, keeps gaps, and starts at the first value, not at zero', () => {
    const noisy = filled(
      Array.from({ length: 200 }, (_, i) => [i, i === 100 ? Number.NaN : 5 + (i % 2)] as const),
    );
    const calm = smooth(noisy, 0.9);
    expect(calm[0]).toBe(5);
    expect(calm[100]).toBeNull();
    const tail = calm.slice(150).map((y) => y ?? 0);
    expect(Math.max(...tail) - Math.min(...tail)).toBeLessThan(0.2);
  });

  it('is similar for a curve with fewer samples', () => {
    const ys = (x: number) => Math.exp(-x / 300);
    const dense = filled(Array.from({ length: 1001 }, (_, x) => [x, ys(x)] as const));
    const sparse = filled(Array.from({ length: 101 }, (_, i) => [i * 10, ys(i * 10)] as const));
    expect(smooth(dense, 0.8).at(-1) ?? 0).toBeCloseTo(smooth(sparse, 0.8).at(-1) ?? 1, 2);
  });

  it('is of the values, not of the extremes that the store sends of them, and goes on with live ones', () => {
    // 5 s once in a hundred steps, 0.01 s otherwise; each two points stand for a hundred steps.
    const x = Array.from({ length: 40 }, (_, i) => i * 50);
    const stored = { key, x, y: x.map((_, i) => (i % 2 === 0 ? 0.01 : 5)), total: 2000, newest: 1999 };
    const track = trackOf({ ...stored, means: x.map(() => 0.06), counts: x.map(() => 50) });
    for (const y of smooth(track, 0.6)) expect(y).toBeCloseTo(0.06, 9);
    for (let step = 1951; step < 1961; step += 1) insert(track, step, 0.01, 2000 + step);
    // Ten live steps weigh less than the two thousand before them.
    expect(smooth(track, 0.6).at(-1)).toBeGreaterThan(0.03);
    const joined = joinedTrack([undefined, track]);
    expect(smooth(joined, 0.6)).toEqual(smooth(track, 0.6));
  });

  it('draws no stairs: a straight line of extremes stays straight', () => {
    // Each two points are the ends of ten steps of a ramp.
    const x = Array.from({ length: 80 }, (_, i) => Math.floor(i / 2) * 10 + (i % 2) * 9);
    const stored = { key, x, y: x, total: 400, newest: 399 };
    const means = x.map((_, i) => Math.floor(i / 2) * 10 + 4.5);
    const smoothed = smooth(trackOf({ ...stored, means, counts: x.map(() => 5) }), 0.1).map((y) => y ?? 0);
    const slopes = smoothed
      .slice(1)
      .map((y, i) => (y - (smoothed[i] ?? 0)) / ((x[i + 1] ?? 0) - (x[i] ?? 0)));
    for (const slope of slopes.slice(2, -2)) expect(slope).toBeCloseTo(1, 1);
  });

  it('is finite for values whose sum overflows (fault 31)', () => {
    const wild = filled([
      [0, 1e308],
      [1, 1e308],
      [2, 1e308],
    ]);
    for (const y of smooth(wild, 0.99)) expect(y === null || Number.isFinite(y)).toBe(true);
  });
});
