/** Formats numbers in the user's language. Non-finite numbers are shown, never hidden. */
import type { Language } from '../base/language.ts';
import { durations as english } from './en/quantity.ts';
import { durations as chinese } from './zh/quantity.ts';

/** What a number measures; the unit is part of the formatted text. */
export type Unit = 'plain' | 'percent' | 'seconds' | 'bytes' | 'bytesPerSecond' | 'perSecond';

const formats = new Map<string, Intl.NumberFormat>();
function numberFormat(language: Language, digits: number, min = 0): Intl.NumberFormat {
  const key = `${language} ${digits} ${min}`;
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(language, { maximumFractionDigits: digits, minimumFractionDigits: min });
  formats.set(key, format);
  return format;
}

/** 'NaN', '∞' and '−∞': the same in every language. */
const notFinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '−∞');

/** Four significant digits; very large and very small numbers with an exponent. */
export function formatNumber(value: number, language: Language): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) {
    return value
      .toExponential(2)
      .replace(/\.?0+e/, 'e')
      .replace('e+', 'e');
  }
  const digits = size === 0 ? 0 : Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(size))));
  return numberFormat(language, digits).format(value);
}

/** `value` is 0 to 100. */
export function formatPercent(value: number, language: Language): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const digits = Math.abs(value) >= 99.95 ? 0 : 1;
  return `${numberFormat(language, digits, digits).format(value)} %`;
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Powers of 1000, as disks and networks count. */
export function formatBytes(bytes: number, language: Language): string {
  if (!Number.isFinite(bytes)) return notFinite(bytes);
  let scaled = bytes;
  let unit = 0;
  // A value that would be rounded to 1000 uses the next unit.
  while (Math.abs(scaled) >= 999.5 && unit < byteUnits.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || Math.abs(scaled) >= 99.95 ? 0 : 1;
  return `${numberFormat(language, digits).format(scaled)} ${byteUnits[unit] ?? 'B'}`;
}

const durationUnits = { en: english, 'zh-CN': chinese } as const;

/** A duration in its two largest units: '2 h 05 min'; below a minute with one digit where that is meaningful. */
export function formatDuration(seconds: number, language: Language): string {
  if (!Number.isFinite(seconds)) return notFinite(seconds);
  const words = durationUnits[language];
  const sign = seconds < 0 ? '−' : '';
  const size = Math.abs(seconds);
  if (size > 0 && size < 0.9995)
    return `${sign}${numberFormat(language, size < 0.01 ? 1 : 0).format(size * 1000)} ms`;
  if (size < 9.95) return `${sign}${numberFormat(language, 1).format(size)}${words.s}`;
  const whole = Math.round(size);
  if (whole < 60) return `${sign}${whole}${words.s}`;
  const pair = (large: number, first: string, small: number, second: string): string =>
    `${sign}${large}${first} ${String(small).padStart(2, '0')}${second}`;
  if (whole < 3600) return pair(Math.floor(whole / 60), words.min, whole % 60, words.s);
  const minutes = Math.round(size / 60);
  if (minutes < 24 * 60) return pair(Math.floor(minutes / 60), words.h, minutes % 60, words.min);
  const hours = Math.round(size / 3600);
  return pair(Math.floor(hours / 24), words.d, hours % 24, words.h);
}

/** '1:05', '2:03:40': for axes, where space is short. */
export function formatClock(seconds: number): string {
  const whole = Math.round(Math.abs(seconds));
  const sign = seconds < 0 && whole > 0 ? '−' : '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return hours > 0
    ? `${sign}${hours}:${two(minutes)}:${two(whole % 60)}`
    : `${sign}${minutes}:${two(whole % 60)}`;
}

/** A time of day to the second, for lines of a log; with the date on demand. */
export function formatSecond(at: number, language: Language, date?: 'with the date'): string {
  const key = `${language} ${date ?? ''}`;
  const format =
    secondFormats.get(key) ??
    new Intl.DateTimeFormat(language, {
      ...(date === undefined
        ? { hour: '2-digit', minute: '2-digit', second: '2-digit' }
        : { dateStyle: 'full', timeStyle: 'medium' }),
      hourCycle: 'h23',
    });
  secondFormats.set(key, format);
  return format.format(at * 1000);
}
/** Made once: a log draws a hundred at every frame. */
const secondFormats = new Map<string, Intl.DateTimeFormat>();

/** `at` in Unix seconds; with the day only where it is not today's. */
export function formatMoment(at: number, language: Language, now: number): string {
  const date = new Date(at * 1000);
  const today = date.toDateString() === new Date(now * 1000).toDateString();
  return new Intl.DateTimeFormat(language, {
    ...(today ? {} : { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(date);
}

export function formatQuantity(value: number, unit: Unit, language: Language): string {
  switch (unit) {
    case 'plain':
      return formatNumber(value, language);
    case 'percent':
      return formatPercent(value, language);
    case 'seconds':
      return formatDuration(value, language);
    case 'bytes':
      return formatBytes(value, language);
    case 'bytesPerSecond':
      return `${formatBytes(value, language)}/s`;
    case 'perSecond':
      return `${formatNumber(value, language)}/s`;
  }
}
