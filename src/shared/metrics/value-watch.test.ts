import { describe, expect, it } from 'vitest';
import type { Point } from './metrics.ts';
import { asFinite, passing, PassedLimit, fromFinite } from './value-watch.ts';

const point = (source: Point['source'], kind: string, t: number, more: object): Point => ({
  source,
  line: { v: 1, seq: t, t, kind, ...more },
});
const top1 = (t: number, value: unknown): Point => point('rank-0', 'eval', t, { top1: value, loss: 1 });

describe('a watched value', () => {
  it('passes at its limit, the first time', () => {
    const points = [top1(1, 80), top1(2, 90), top1(3, 95)];
    expect(passing({ value: 'top1', above: true, limit: 90 }, points, 0)).toMatchObject({
      t: 2,
      reached: 90,
    });
    expect(passing({ value: 'top1', above: true, limit: 96 }, points, 0)).toBeUndefined();
    expect(passing({ value: 'top1', above: false, limit: 85 }, points, 0)).toMatchObject({ t: 1 });
  });

  it('is rank 0’s, and of the configured kind of line', () => {
    const points = [
      point('rank-1', 'step', 1, { loss: 9 }),
      point('rank-0', 'eval', 2, { loss: 9 }),
      point('rank-0', 'step', 3, { loss: 8 }),
      point('rank-0', 'step', 4, { loss: 'NaN' }),
    ];
    expect(passing({ value: 'loss', above: true, limit: 5 }, points, 0)).toMatchObject({ t: 3, reached: 8 });
    expect(passing({ value: 'validationLoss', above: true, limit: 5 }, points, 0)).toMatchObject({ t: 2 });
  });

  it('passes where it jumps to infinity, and is stored as a number', () => {
    const losses = [3, 'Infinity', 'NaN', 'NaN'].map((loss, t) => point('rank-0', 'step', t, { loss }));
    const watch = { value: 'loss', above: true, limit: 100 } as const;
    const found = passing(watch, losses, 0);
    expect(found).toMatchObject({ t: 1, reached: Infinity });
    expect(passing({ ...watch, above: false, limit: 1 }, losses, 0)).toBeUndefined();
    for (const value of [Infinity, -Infinity, 0, -2.5]) {
      const stored = JSON.stringify({ ...watch, reached: asFinite(value) });
      expect(fromFinite(PassedLimit.parse(JSON.parse(stored)).reached)).toBe(value);
    }
  });

  it('is that of the rank that has rank 0’s part, once rank 0 is lost', () => {
    const points = [
      point('rank-2', 'step', 1, { loss: 9 }),
      point('rank-1', 'step', 2, { loss: 8 }),
      point('rank-1', 'eval', 3, { loss: 7, top1: 80 }),
    ];
    expect(passing({ value: 'loss', above: true, limit: 5 }, points, 1)).toMatchObject({ reached: 8 });
    expect(passing({ value: 'validationLoss', above: true, limit: 5 }, points, 1)).toMatchObject({
      reached: 7,
    });
    expect(passing({ value: 'top1', above: true, limit: 75 }, points, 1)).toMatchObject({ reached: 80 });
    // The record learns of the loss a little after the lines.
    expect(passing({ value: 'top1', above: true, limit: 75 }, points, 0)).toMatchObject({ reached: 80 });
  });

  it('is a scalar of that name, of any rank', () => {
    const scalars = (t: number, values: unknown) => point('rank-1', 'scalar', t, { values });
    const points = [
      scalars(1, { 'val/loss': 2 }),
      scalars(2, { loss: 0.1 }),
      scalars(3, [0]),
      scalars(4, { 'val/loss': 0.2 }),
    ];
    const watch = { value: 'scalar', scalar: 'val/loss', above: false, limit: 0.5 } as const;
    expect(passing(watch, points, 0)).toMatchObject({ t: 4, reached: 0.2, source: 'rank-1' });
    expect(passing({ ...watch, scalar: 'toString' }, points, 0)).toBeUndefined();
  });

  it('is from a GPU with a rank on it, if known', () => {
    const sample = (processes: object[], rank: object = { pid: 7 }): Point =>
      point('monitor-n1', 'sample', 1, {
        processes: [rank],
        gpus: [
          { index: 0, temperature_celsius: 95, processes: [{ pid: 3 }] },
          { index: 1, temperature_celsius: 86, processes },
        ],
      });
    const hot = { value: 'temperature', above: true, limit: 85 } as const;
    expect(passing(hot, [sample([{ pid: 7 }])], 0)).toMatchObject({
      reached: 86,
      gpu: 1,
      source: 'monitor-n1',
    });
    expect(passing(hot, [sample([])], 0)).toMatchObject({ reached: 95, gpu: 0 });
    // An agent's worker.
    const agent = { pid: 100, descendants: [101, 7] };
    expect(passing(hot, [sample([{ pid: 7 }], agent)], 0)).toMatchObject({ reached: 86, gpu: 1 });
    expect(passing(hot, [point('monitor-n1', 'sample', 1, { gpus: 'none' })], 0)).toBeUndefined();
  });
});
