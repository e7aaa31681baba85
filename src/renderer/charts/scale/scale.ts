/** Axis scales: a domain that ignores outliers, and ticks at round numbers. */
import { evenTicks } from '../../../shared/base/ticks.ts';
import { formatClock } from '../../ui/index.ts';

export interface Domain {
  readonly low: number;
  readonly high: number;
  /** Whether values lie beyond the axis. */
  readonly clipped: boolean;
}

export interface DomainOptions {
  readonly log: boolean;
  /** Bounds of the quantity (a percentage: 0 and 100). */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

const emptyDomain: Domain = { low: 0, high: 1, clipped: false };

const medianOf = (sorted: readonly number[]): number => sorted[sorted.length >> 1] ?? 0;

/** The maximum distance from the median, in typical deviations, before the axis leaves a value out. */
const tolerance = 1000;

/** The factor within which far values are of one kind. */
const alike = 10;

/**
 * Whether far values come again and again at about the same size, as what is sent in every eighth step only: then they
 * are what the chart is about. Those of a run that diverges grow from one to the next. In ascending order.
 */
function recurs(far: readonly number[]): boolean {
  const [first, last] = [far[0], far.at(-1)];
  if (first === undefined || last === undefined || far.length < 2) return false;
  const [near, farthest] = [Math.abs(first), Math.abs(last)].sort((a, b) => a - b);
  return near !== undefined && farthest !== undefined && farthest <= alike * near;
}

/** The range of the values that an axis should show. Null and values without a logarithm are skipped. */
export function valueDomain(values: readonly (number | null)[], options: DomainOptions): Domain {
  const shown = values
    .filter(
      (value): value is number => value !== null && Number.isFinite(value) && (!options.log || value > 0),
    )
    .sort((a, b) => a - b);
  let low = shown[0];
  let high = shown.at(-1);
  if (low === undefined || high === undefined)
    return options.log ? { low: 0.1, high: 1, clipped: false } : emptyDomain;
  let clipped = false;
  if (shown.length >= 4 && !options.log) {
    const median = medianOf(shown);
    const deviations = shown.map((value) => Math.abs(value - median)).sort((a, b) => a - b);
    const reach = tolerance * Math.max(medianOf(deviations), Math.abs(median) / 20);
    if (reach > 0 && Number.isFinite(reach) && (high - median > reach || median - low > reach)) {
      const below = shown.filter((value) => median - value > reach);
      const above = shown.filter((value) => value - median > reach);
      const kept = shown.filter((value) => Math.abs(value - median) <= reach);
      if (!recurs(below)) low = kept[0] ?? low;
      if (!recurs(above)) high = kept.at(-1) ?? high;
      clipped = low !== shown[0] || high !== shown.at(-1);
    }
  }
  return { ...widen(low, high, options), clipped };
}

function widen(low: number, high: number, options: DomainOptions): { low: number; high: number } {
  if (options.log) {
    const [from, to] = low === high ? [low / 2, high * 2] : [low, high];
    return { low: Math.max(Number.MIN_VALUE, from), high: Math.min(Number.MAX_VALUE, to) };
  }
  const span = high - low;
  // The difference of 1e308 and -1e308 overflows.
  if (!Number.isFinite(span)) return { low, high };
  const room = span === 0 ? Math.abs(low) / 10 || 1 : span * 0.06;
  const clamp = (value: number): number =>
    Math.min(options.max ?? Number.MAX_VALUE, Math.max(options.min ?? -Number.MAX_VALUE, value));
  return { low: clamp(low - room), high: clamp(high + room) };
}

/** Multiples of 1, 2, 2.5 or 5 times a power of ten inside [low, high], about `count` of them. */
export const linearTicks = (low: number, high: number, count: number): number[] =>
  evenTicks(low, high, count, [1, 2, 2.5, 5, 10]);

/** Ticks with their labels; of several that are labelled the same, as 10.6 and 11.2 bytes are, the first one. */
export function labelled(
  ticks: readonly number[],
  texts: readonly string[],
): { readonly value: number; readonly label: string }[] {
  const labels = new Set<string>();
  return ticks.flatMap((value, at) => {
    const label = texts[at];
    if (label === undefined || labels.has(label)) return [];
    labels.add(label);
    return [{ value, label }];
  });
}

/** Whole numbers only, for steps. */
export const wholeTicks = (low: number, high: number, count: number): number[] =>
  evenTicks(low, high, Math.min(count, Math.max(1, Math.floor(high - low)))).filter(Number.isInteger);

/** Powers of ten, thinned to about `count`; within one decade 1, 2, 5. */
export function logTicks(low: number, high: number, count: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  if (last - first >= 1) {
    const every = Math.max(1, Math.ceil((last - first) / Math.max(1, count)));
    const ticks: number[] = [];
    for (let power = first; power <= last; power += every) ticks.push(10 ** power);
    return ticks;
  }
  const fine = [first - 1, first, last].flatMap((power) => [1, 2, 5].map((factor) => factor * 10 ** power));
  const inside = [...new Set(fine)].filter((tick) => tick >= low && tick <= high);
  return inside.length >= 2 ? inside : linearTicks(low, high, count).filter((tick) => tick > 0);
}

const clockSteps = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800,
  21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000,
];

/** Seconds, at round intervals of a clock. */
export function clockTicks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / Math.max(1, count);
  const every = (step: number): number[] => {
    const ticks: number[] = [];
    for (let at = Math.ceil(low / step); at * step <= high && ticks.length < 50; at += 1)
      ticks.push(Number((at * step).toFixed(2)));
    return ticks;
  };
  const found = clockSteps.findIndex((size) => size >= rough);
  const ticks = every(clockSteps[found] ?? 31_536_000);
  // One label alone is no scale.
  return ticks.length > 1 || found <= 0 ? ticks : every(clockSteps[found - 1] ?? 1);
}

/** '1:05', and between seconds '1:05.25', where so little is shown. */
export function clockLabel(seconds: number): string {
  const hundredths = Math.round(Math.abs(seconds) * 100) % 100;
  if (hundredths === 0) return formatClock(seconds);
  const sign = seconds < 0 ? -1 : 1;
  const part = String(hundredths).padStart(2, '0').replace(/0$/, '');
  return `${formatClock(sign * Math.floor(Math.abs(seconds)))}.${part}`;
}
