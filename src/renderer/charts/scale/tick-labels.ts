/** Labels of a vertical axis: with the digits that tell its ticks apart, and no wider than the margin beside the plot. Pure. */
import type { Language } from '../../../shared/base/language.ts';
import { formatClock, formatDuration, formatNumber, formatQuantity, type Unit } from '../../ui/index.ts';

/** So many characters fit beside the axis. */
const widest = 8;
/** What `formatNumber` shows. */
const usualDigits = 4;
const minute = 60;

/**
 * Labels that are the ticks' values. 2.30258 and 2.30262 are both 2.303 in the usual form, which is at neither.
 * Where no form fits, the usual one.
 * @param step the distance of two ticks: 1, 2, 2.5 or 5 times a power of ten
 */
function exactNumbers(ticks: readonly number[], step: number, language: Language, width: number): string[] {
  const fits = (labels: readonly string[]): boolean => labels.every((label) => label.length <= width);
  const usual = ticks.map((value) => formatNumber(value, language));
  const largest = Math.max(...ticks.map(Math.abs));
  const power = Math.floor(Math.log10(step) + 1e-9);
  const decimals = (Math.round((step / 10 ** power) * 10) === 25 ? 1 : 0) - power;
  // From the first digit to the last that two ticks differ in.
  const digits = Math.floor(Math.log10(largest)) + 1 + decimals;
  const isDistinct = new Set(usual).size === usual.length;
  if (digits <= usualDigits && isDistinct && fits(usual)) return usual;
  const format = new Intl.NumberFormat(language, {
    maximumFractionDigits: Math.min(20, Math.max(0, decimals)),
  });
  const full = ticks.map((value) => format.format(value));
  if (largest < 1e7 && fits(full)) return full;
  const fraction = Math.min(20, Math.max(0, digits - 1));
  const short = ticks.map((value) =>
    value === 0
      ? '0'
      : value
          .toExponential(fraction)
          .replace(/(\.\d*?)0*e\+?/, '$1e')
          .replace('.e', 'e'),
  );
  return fits(short) ? short : usual;
}

/** @param log on a logarithmic axis the distances of ticks say nothing about their digits */
export function tickLabels(
  ticks: readonly number[],
  unit: Unit,
  log: boolean,
  language: Language,
): readonly string[] {
  const largest = Math.max(...ticks.map(Math.abs));
  const step = Math.min(...ticks.slice(1).map((value, at) => Math.abs(value - (ticks[at] ?? value))));
  const isEven = Number.isFinite(step) && step > 0;
  if (unit === 'bytes') return ticks.map((value) => formatQuantity(value, unit, language));
  if (unit === 'seconds') {
    // '2 min 05 s' is wider than the margin.
    if (largest >= minute) return ticks.map(formatClock);
    if (!isEven) return ticks.map((value) => formatQuantity(value, unit, language));
    const [per, word] = largest < 1 ? [1000, ' ms'] : [1, formatDuration(1, language).replace('1', '')];
    const scaled = ticks.map((value) => Number((value * per).toPrecision(12)));
    return exactNumbers(scaled, step * per, language, widest - word.length).map((label) => label + word);
  }
  const usual = ticks.map((value) => formatNumber(value, language));
  if (!isEven || (log && new Set(usual).size === usual.length)) return usual;
  return exactNumbers(ticks, step, language, widest);
}
