import { describe, expect, it } from 'vitest';
import type { MetricLine } from '../../shared/metrics.ts';
import { stepSeconds } from './step-cost.ts';

const line = (step: number, seconds: unknown): MetricLine => ({
  v: 1,
  seq: step,
  t: step,
  kind: 'step',
  step,
  step_seconds: seconds,
});

describe('the measured step', () => {
  it('is the median, without the first steps and without what is no number', () => {
    const lines = [line(0, 90), line(1, 80), line(2, 0.5), line(3, 0.7), line(4, 9), line(5, 'NaN')];
    expect(stepSeconds(lines)).toBe(0.7);
  });

  it('is not known before a run is warm', () => {
    expect(stepSeconds([line(0, 90), line(1, 80)])).toBeUndefined();
    expect(stepSeconds([])).toBeUndefined();
  });
});
