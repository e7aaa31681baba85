import { describe, expect, it } from 'vitest';
import { placedLabels } from '../plot/PlotAxes.tsx';
import { placeIn } from './plot-place.ts';

const area = { x: 50, y: 10, width: 200, height: 100 };

describe('values in the plot', () => {
  it('are within the edges of the plot, low values below', () => {
    const { toX, toY } = placeIn(area, 0, 10, { low: 0, high: 4, clipped: false }, false);
    expect([toX(0), toX(5), toX(10)]).toEqual([50, 150, 250]);
    expect([toY(0), toY(1), toY(4)]).toEqual([110, 85, 10]);
  });
  it('are spaced by powers on a logarithmic axis', () => {
    const { toY } = placeIn(area, 0, 10, { low: 0.01, high: 100, clipped: false }, true);
    expect(toY(1)).toBeCloseTo(60, 9);
    expect(toY(0.01)).toBeCloseTo(110, 9);
  });
  it('are drawable for any extreme values', () => {
    const wild = placeIn(area, 0, 10, { low: -1e308, high: 1e308, clipped: false }, false);
    expect(wild.toY(0)).toBeCloseTo(60, 9);
    const calm = placeIn(area, 0, 10, { low: 0, high: 1, clipped: false }, false);
    expect(Math.abs(calm.toY(1e300))).toBeLessThan(2000);
    expect(placeIn(area, 0, 10, { low: 3, high: 3, clipped: false }, false).toY(3)).toBe(60);
  });
});

describe('tick labels', () => {
  it('are omitted if they would overlap', () => {
    const ticks = [0, 20, 40, 100].map((at) => ({ at, label: '1,000' }));
    expect(placedLabels(ticks, 500).map(({ at }) => at)).toEqual([0, 40, 100]);
  });
  it('are never cut off at the right', () => {
    const [, last] = placedLabels(
      [
        { at: 0, label: '0' },
        { at: 250, label: '10,000' },
      ],
      256,
    );
    expect((last?.at ?? 0) + ('10,000'.length * 6.2) / 2).toBeLessThanOrEqual(256);
  });
});
