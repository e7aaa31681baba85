import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatClock,
  formatDuration,
  formatMoment,
  formatSecond,
  formatNumber,
  formatPercent,
} from './quantity.ts';

describe('formatted numbers', () => {
  it('have four significant digits', () => {
    expect(formatNumber(0.123456, 'en')).toBe('0.1235');
    expect(formatNumber(1234567, 'en')).toBe('1,234,567');
    expect(formatNumber(12.3456, 'zh-CN')).toBe('12.35');
    expect(formatNumber(0, 'en')).toBe('0');
    expect(formatNumber(1e308, 'en')).toBe('1e308');
    expect(formatNumber(-2.5e-7, 'en')).toBe('-2.5e-7');
  });

  it('are named if they are not finite (fault 31)', () => {
    expect(formatNumber(Number.NaN, 'en')).toBe('NaN');
    expect(formatPercent(Number.POSITIVE_INFINITY, 'en')).toBe('∞');
    expect(formatDuration(Number.NEGATIVE_INFINITY, 'zh-CN')).toBe('−∞');
    expect(formatBytes(Number.NaN, 'en')).toBe('NaN');
  });

  it('are percentages with one digit', () => {
    expect(formatPercent(63.24, 'en')).toBe('63.2 %');
    expect(formatPercent(60, 'en')).toBe('60.0 %');
    expect(formatPercent(100, 'en')).toBe('100 %');
  });

  it('are bytes in powers of 1000, and rounding never gives 1000', () => {
    expect(formatBytes(0, 'en')).toBe('0 B');
    expect(formatBytes(999, 'en')).toBe('999 B');
    expect(formatBytes(999_999, 'en')).toBe('1 MB');
    expect(formatBytes(46_760_000, 'en')).toBe('46.8 MB');
    expect(formatBytes(62_300_000_000, 'zh-CN')).toBe('62.3 GB');
  });

  it('are durations in their two largest units, in both languages', () => {
    expect(formatDuration(0.0213, 'en')).toBe('21 ms');
    expect(formatDuration(0.9999, 'en')).toBe('1 s');
    expect(formatDuration(4.25, 'en')).toBe('4.3 s');
    expect(formatDuration(59.6, 'en')).toBe('1 min 00 s');
    expect(formatDuration(125, 'en')).toBe('2 min 05 s');
    expect(formatDuration(7500, 'en')).toBe('2 h 05 min');
    expect(formatDuration(3599.6, 'en')).toBe('1 h 00 min');
    expect(formatDuration(3 * 86_400 + 7200, 'en')).toBe('3 d 02 h');
    expect(formatDuration(125, 'zh-CN')).toBe('2 分 05 秒');
    expect(formatDuration(-5, 'en')).toBe('−5 s');
  });

  it('are clock times on an axis', () => {
    expect(formatClock(65)).toBe('1:05');
    expect(formatClock(7420)).toBe('2:03:40');
    expect(formatClock(-0.2)).toBe('0:00');
  });

  it('are times, with the date if it is not today', () => {
    const at = Date.UTC(2026, 10, 20, 12) / 1000;
    expect(formatMoment(at, 'en', at)).toMatch(/^\d\d:\d\d$/);
    expect(formatMoment(at - 3 * 86_400, 'en', at)).toMatch(/Nov 17/);
    expect(formatMoment(at - 3 * 86_400, 'zh-CN', at)).toMatch(/11月17日/);
  });

  it('are times to the second beside lines of a log, with the date on demand', () => {
    const at = Date.UTC(2026, 10, 20, 12, 34, 56) / 1000;
    expect(formatSecond(at, 'en')).toMatch(/^\d\d:34:56$/);
    expect(formatSecond(at, 'en', 'with the date')).toMatch(/November 20, 2026.*:34:56/);
    expect(formatSecond(at, 'zh-CN', 'with the date')).toMatch(/2026年11月20日.*:34:56/);
  });
});
