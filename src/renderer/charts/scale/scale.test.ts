import { describe, expect, it } from 'vitest';
import { makeAxis, makeComparedAxis, makeScalarAxis } from './axis.ts';
import { epochSteps } from './epoch-steps.ts';
import { formatBytes } from '../../../shared/i18n/quantity.ts';
import { clockTicks, labelled, linearTicks, logTicks, valueDomain, wholeTicks } from './scale.ts';

const linear = { log: false } as const;

describe('the domain of an axis', () => {
  it('contains the values with a margin, and stays within the quantity’s limits', () => {
    const { low, high, clipped } = valueDomain([1, 2, 3], linear);
    expect(low).toBeLessThan(1);
    expect(high).toBeGreaterThan(3);
    expect(clipped).toBe(false);
    expect(valueDomain([0, 99.9], { log: false, min: 0, max: 100 })).toMatchObject({ low: 0, high: 100 });
  });

  it('is finite with NaN, infinities and 1e308 among the values (fault 31)', () => {
    const values = [2.3, 2.2, null, 2.1, 2, 1e308, 1.9, null, -1e308, 1.8];
    const { low, high, clipped } = valueDomain(values, linear);
    expect(clipped).toBe(true);
    expect(low).toBeGreaterThan(1);
    expect(high).toBeLessThan(3);
    for (const wild of [[1e308, -1e308], [1e308], [Number.MAX_VALUE, 1], [5e-324]]) {
      const domain = valueDomain(wild, linear);
      expect(Number.isFinite(domain.low)).toBe(true);
      expect(Number.isFinite(domain.high)).toBe(true);
      expect(domain.high).toBeGreaterThan(domain.low);
      const ticks = linearTicks(domain.low, domain.high, 4);
      expect(ticks.length).toBeLessThan(60);
      expect(ticks.every(Number.isFinite)).toBe(true);
    }
  });

  it('is not clipped for a real spike, nor for a rate that decreases in steps', () => {
    expect(valueDomain([2, 1.9, 1.8, 40, 1.7, 1.6], linear).clipped).toBe(false);
    expect(valueDomain([0.1, 0.1, 0.1, 0.1, 0.01, 0.001], linear).clipped).toBe(false);
  });

  it('contains what is sent every eighth step, however little the steps between send', () => {
    const sent = Array.from({ length: 33 }, (_, step) => (step % 8 === 7 ? 70_000 + step : 32 / 3));
    expect(valueDomain(sent, linear)).toMatchObject({ clipped: false });
    expect(valueDomain(sent, linear).high).toBeGreaterThan(70_000);
    // A run that diverges: no two of its last values are alike.
    expect(valueDomain([2, 2.1, 1.9, 2, 2, 1e6, 1e9, 1e14], linear)).toMatchObject({ clipped: true });
  });

  it('is defined for no values and for one value', () => {
    expect(valueDomain([], linear)).toEqual({ low: 0, high: 1, clipped: false });
    expect(valueDomain([null, null], linear)).toEqual({ low: 0, high: 1, clipped: false });
    const { low, high } = valueDomain([0], linear);
    expect(low).toBeLessThan(0);
    expect(high).toBeGreaterThan(0);
  });

  it('uses only values with a logarithm on a logarithmic axis', () => {
    expect(valueDomain([-1, 0, 0.01, 10], { log: true })).toMatchObject({ low: 0.01, high: 10 });
    expect(valueDomain([-1, 0], { log: true }).low).toBeGreaterThan(0);
  });
});

describe('ticks', () => {
  it('are round numbers', () => {
    expect(linearTicks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(linearTicks(10, 86, 3)).toEqual([50]);
    expect(linearTicks(0, 100, 4)).toEqual([0, 25, 50, 75, 100]);
    expect(wholeTicks(0, 3, 10)).toEqual([0, 1, 2, 3]);
    expect(wholeTicks(0, 1, 10)).toEqual([0, 1]);
    expect(logTicks(0.01, 100, 5)).toEqual([0.01, 0.1, 1, 10, 100]);
    expect(logTicks(1.2, 8, 4)).toEqual([2, 5]);
    expect(clockTicks(0, 600, 5)).toEqual([0, 120, 240, 360, 480, 600]);
    // Also where a long run is zoomed in, and where a run took less than a second.
    expect(clockTicks(199_000, 205_000, 3)).toEqual([199_800, 201_600, 203_400]);
    expect(clockTicks(0, 0.7, 3)).toEqual([0, 0.5]);
  });
});

describe('labels of ticks', () => {
  it('are all different', () => {
    const bytes = (value: number): string => formatBytes(value, 'en');
    const { low, high } = valueDomain([32 / 3, 32 / 3, 32 / 3, 32 / 3], linear);
    const ticks = linearTicks(low, high, 4);
    const labels = labelled(ticks, ticks.map(bytes)).map(({ label }) => label);
    expect(labels).toEqual([...new Set(labels)]);
    expect(labels.length).toBeGreaterThan(1);
    const near = [10.6, 10.8, 11.2, 11.6];
    expect(labelled(near, near.map(bytes))).toEqual([
      { value: 10.6, label: '11 B' },
      { value: 11.6, label: '12 B' },
    ]);
  });
});

describe('the horizontal axis', () => {
  it('shows epochs by their number of steps, or steps if that is unknown', () => {
    const axis = makeAxis('epoch', epochSteps([], 40), 0);
    expect(axis.x).toBe('step');
    expect(axis.toShown(100)).toBe(2.5);
    expect(axis.toFeed(2.5)).toBe(100);
    expect(axis.ticks(0, 6, 8).every(Number.isInteger)).toBe(true);
    expect(makeAxis('epoch', undefined, 0).toShown(100)).toBe(100);
  });

  it('of compared runs along epochs has its zoom and cursor apart from charts along steps', () => {
    const x = (['step', 'epoch', 'time'] as const).map((choice) => makeComparedAxis(choice).x);
    expect(x).toEqual([makeScalarAxis('step', 0).x, makeScalarAxis('epoch', 0).x, makeScalarAxis('t', 0).x]);
    expect(makeComparedAxis('epoch').label(2.5, 'en')).toBe('2.5');
    // A zoom within an epoch has ticks, too.
    expect(makeComparedAxis('epoch').ticks(1.2, 1.8, 3)).toEqual([1.25, 1.5, 1.75]);
    expect(makeComparedAxis('epoch').ticks(0, 4, 4)).toEqual([0, 1, 2, 3, 4]);
  });

  it('counts the time from the start of the run', () => {
    const axis = makeAxis('time', epochSteps([], 40), 1000);
    expect(axis.x).toBe('t');
    expect(axis.label(axis.toShown(1065), 'en')).toBe('1:05');
    expect([0.5, 65.25].map((shown) => axis.label(shown, 'en'))).toEqual(['0:00.5', '1:05.25']);
  });

  it('tells neighbours apart, far into a run: steps by all digits, times by their second', () => {
    const steps = makeAxis('step', undefined, 0);
    expect([50_050_000, 50_050_400].map((step) => steps.label(step, 'en'))).toEqual([
      '50,050,000',
      '50,050,400',
    ]);
    expect(steps.format(50_050_000.6, 'en')).toBe('50,050,001');
    const time = makeAxis('time', undefined, 0);
    expect([312, 198_765].map((shown) => time.format(shown, 'en'))).toEqual(['5 min 12 s', '55:12:45']);
  });
});
