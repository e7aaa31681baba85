import { describe, expect, it } from 'vitest';
import { carry, heatField, stretches } from './heat.ts';

describe('a heat strip', () => {
  it('shows the maximum of each range, so that a peak stays visible', () => {
    const track = { x: [0, 1, 2, 3, 4, 5, 6, 7], y: [1, 90, 3, 4, 5, null, 7, 8] };
    expect(stretches(track, { from: 0, to: 8 }, 4)).toEqual([90, 4, 5, 8]);
    expect(stretches(undefined, { from: 0, to: 8 }, 2)).toEqual([undefined, undefined]);
  });

  it('bridges the gap between two samples, but no longer one', () => {
    const u = undefined;
    expect(carry([5, u, 6, u, u, u], 1)).toEqual([5, 5, 6, 6, u, u]);
  });

  it('supports the fields of the samples', () => {
    expect(heatField('cpu', 0)).toBe('cpu_percent');
    expect(heatField('temperature', 3)).toBe('gpus.3.temperature_celsius');
  });
});
