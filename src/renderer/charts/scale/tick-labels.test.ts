import { describe, expect, it } from 'vitest';
import { tickLabels } from './tick-labels.ts';

const plain = (...ticks: number[]): readonly string[] => tickLabels(ticks, 'plain', false, 'en');
const seconds = (...ticks: number[]): readonly string[] => tickLabels(ticks, 'seconds', false, 'en');

describe('labels of a vertical axis', () => {
  it('have few digits where these are the values', () => {
    expect(plain(0, 0.5, 1, 1.5)).toEqual(['0', '0.5', '1', '1.5']);
    expect(plain(0, 1e-7, 2e-7)).toEqual(['0', '1e-7', '2e-7']);
    expect(plain(1.3e12, 1.4e12)).toEqual(['1.3e12', '1.4e12']);
    expect(plain(2.25, 2.5, 2.75)).toEqual(['2.25', '2.5', '2.75']);
    expect(plain(7)).toEqual(['7']);
    expect(plain()).toEqual([]);
  });

  it('have the digits in which ticks differ: a loss that stays at ln 10 has a scale', () => {
    expect(plain(2.30258, 2.3026, 2.30262)).toEqual(['2.30258', '2.3026', '2.30262']);
    expect(plain(2.302583, 2.302584, 2.302585)).toEqual(['2.302583', '2.302584', '2.302585']);
    expect(plain(12_345_000, 12_350_000)).toEqual(['1.2345e7', '1.235e7']);
    expect(plain(0.12345, 0.1235)).toEqual(['0.12345', '0.1235']);
  });

  it('are no wider than the margin', () => {
    expect(plain(1_000_000, 1_500_000)).toEqual(['1e6', '1.5e6']);
    // No short form tells these apart.
    for (const label of plain(-123_456.8, -123_456.6)) expect(label).toBe('-123,457');
    expect(seconds(0, 25, 50, 75, 100, 125)).toEqual(['0:00', '0:25', '0:50', '1:15', '1:40', '2:05']);
    expect(tickLabels([0, 50, 100], 'seconds', false, 'zh-CN')).toEqual(['0:00', '0:50', '1:40']);
  });

  it('of durations are in one unit', () => {
    expect(seconds(0, 0.1, 0.2)).toEqual(['0 ms', '100 ms', '200 ms']);
    expect(seconds(0.0125, 0.015, 0.0175)).toEqual(['12.5 ms', '15 ms', '17.5 ms']);
    expect(seconds(5, 5.02, 5.04)).toEqual(['5 s', '5.02 s', '5.04 s']);
    expect(tickLabels([10, 12.5], 'seconds', false, 'zh-CN')).toEqual(['10 秒', '12.5 秒']);
  });

  it('on a logarithmic axis are powers of ten', () => {
    expect(tickLabels([1e-6, 1e-3, 1, 1000], 'plain', true, 'en')).toEqual(['1e-6', '0.001', '1', '1,000']);
  });
});
