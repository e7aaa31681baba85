/** The axes of the parallel-coordinates chart, each run's positions on them, and which runs a brush keeps. Pure functions. */
import type { RunSummary } from '../../../shared/contract/api.ts';
import { isSetting, type SettingName } from '../../../shared/run/run-settings.ts';
import { tookOf } from '../../../shared/run/took.ts';
import { isScalarColumn, scalarValue, type ScalarColumn, type ValuesOfRuns } from './scalar-columns.ts';
import { settingValue } from './setting-value.ts';

const resultAxes = ['took', 'loss', 'best'] as const;
export type AxisName = SettingName | ScalarColumn | (typeof resultAxes)[number];
const noValues: ValuesOfRuns = new Map();

interface AxisTick {
  /** 0 at the bottom, 1 at the top. */
  readonly at: number;
  readonly value: string | number;
}

export interface RunAxis {
  readonly name: AxisName;
  readonly ticks: readonly AxisTick[];
  /** A run's position; undefined if it has no such value. */
  placeOf(run: RunSummary): number | undefined;
  /** The value at a position of a numeric axis; on an axis of labels, the nearest. */
  valueAt(place: number): string | number;
}

export function axisValue(
  run: RunSummary,
  name: AxisName,
  scalars: ValuesOfRuns,
): string | number | undefined {
  if (isScalarColumn(name)) return scalarValue(scalars.get(run.id), name);
  if (isSetting(name)) return settingValue(run, name);
  if (name === 'took') return run.endedAt === undefined ? undefined : tookOf(run, run.endedAt);
  const value = name === 'loss' ? run.loss : run.bestTop1;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** From this ratio of maximum to minimum on, small values would overlap on a linear axis. */
const logFrom = 50;
/** The maximum number of values that are labelled one by one. */
const maxNamed = 8;
/** The minimum distance of two labels. */
const minApart = 0.07;
const collator = new Intl.Collator(undefined, { numeric: true });

export function axisOf(
  runs: readonly RunSummary[],
  name: AxisName,
  scalars: ValuesOfRuns = noValues,
): RunAxis {
  const valueOf = (run: RunSummary): string | number | undefined => axisValue(run, name, scalars);
  const values = [...new Set(runs.flatMap((run) => valueOf(run) ?? []))];
  const numbers = values.filter((value): value is number => typeof value === 'number');
  if (numbers.length < values.length) return wordsAxis(name, values, valueOf);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const isLog = low > 0 && high / low >= logFrom;
  const scale = isLog ? Math.log : (value: number): number => value;
  const span = scale(high) - scale(low);
  const place = (value: number): number => (span > 0 ? (scale(value) - scale(low)) / span : 0.5);
  const valueAt = (at: number): number => {
    const scaled = scale(low) + at * span;
    return isLog ? Math.exp(scaled) : scaled;
  };
  const sorted = numbers.toSorted((a, b) => a - b);
  const named = sorted.length <= maxNamed ? sorted : [0, 0.25, 0.5, 0.75, 1].map(valueAt);
  return {
    name,
    ticks: apart(named.map((value) => ({ at: place(value), value }))),
    placeOf: (run) => {
      const value = valueOf(run);
      return typeof value === 'number' ? place(value) : undefined;
    },
    valueAt,
  };
}

/** From the bottom up, and always the highest. */
function apart(ticks: readonly AxisTick[]): AxisTick[] {
  const highest = ticks.at(-1);
  const kept: AxisTick[] = [];
  for (const tick of ticks) {
    const below = kept.at(-1);
    if (below !== undefined && tick.at - below.at < minApart) continue;
    if (highest !== undefined && tick !== highest && highest.at - tick.at < minApart && kept.length > 0)
      continue;
    kept.push(tick);
  }
  return kept;
}

function wordsAxis(
  name: AxisName,
  values: readonly (string | number)[],
  valueOf: (run: RunSummary) => string | number | undefined,
): RunAxis {
  const sorted = values.toSorted((a, b) => collator.compare(String(a), String(b)));
  const place = (index: number): number => (sorted.length < 2 ? 0.5 : index / (sorted.length - 1));
  return {
    name,
    ticks: apart(sorted.map((value, index) => ({ at: place(index), value }))),
    placeOf: (run) => {
      const index = sorted.indexOf(valueOf(run) ?? '');
      return index < 0 ? undefined : place(index);
    },
    valueAt: (at) => sorted[Math.round(at * (sorted.length - 1))] ?? '',
  };
}

/** Settings that differ, then results; an axis without any run's value is left out. */
export const axesOf = (
  runs: readonly RunSummary[],
  differ: ReadonlySet<SettingName>,
  columns: readonly ScalarColumn[] = [],
  scalars: ValuesOfRuns = noValues,
): RunAxis[] =>
  [...differ, ...resultAxes, ...columns]
    .map((name) => axisOf(runs, name, scalars))
    .filter(({ ticks }) => ticks.length > 0);

export interface Stretch {
  readonly from: number;
  readonly to: number;
}
/** By the axis' name. */
export type Brushes = ReadonlyMap<AxisName, Stretch>;

/** Rounding must not exclude values at the very edge. */
const slack = 1e-6;

/** The runs inside every brush; all if there is none. */
export const keptBy = (
  runs: readonly RunSummary[],
  axes: readonly RunAxis[],
  brushes: Brushes,
): RunSummary[] =>
  runs.filter((run) =>
    axes.every((axis) => {
      const brush = brushes.get(axis.name);
      if (brush === undefined) return true;
      const at = axis.placeOf(run);
      return at !== undefined && at >= brush.from - slack && at <= brush.to + slack;
    }),
  );
