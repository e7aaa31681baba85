/** Groups runs by the value of a setting, or by equal settings with different seeds. Pure functions. */
import {
  comparedValue,
  differing,
  isSeed,
  settingNamesOf,
  type SettingName,
  type ConfiguredRun,
} from '../../../shared/run/run-settings.ts';
import type { Grouping } from '../../state/index.ts';

export interface RunGroup<T> {
  readonly id: string;
  readonly runs: readonly T[];
  /** The settings that distinguish it from the other groups, with its values. */
  readonly distinct: readonly { readonly setting: SettingName; readonly value: string | number }[];
}

/** A script's arguments have the seed, too: its options, and its other words, are compared instead. */
const keyOf = (run: ConfiguredRun, by: SettingName, names: readonly SettingName[]): string =>
  isSeed(by)
    ? JSON.stringify(names.filter((name) => name !== by).map((name) => comparedValue(run, name)))
    : String(comparedValue(run, by));

/** In the order of their first runs. */
export function groupRuns<T extends ConfiguredRun>(
  runs: readonly T[],
  by: Exclude<Grouping, 'none'>,
): RunGroup<T>[] {
  const groups = new Map<string, T[]>();
  const names = settingNamesOf(runs);
  for (const run of runs) {
    const key = keyOf(run, by, names);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  const firsts = [...groups.values()].flatMap((group) => group[0] ?? []);
  const settings = isSeed(by) ? [...differing(firsts)].filter((name) => name !== by) : [by];
  return [...groups.values()].map((members, index) => ({
    id: `group-${index}`,
    runs: members,
    distinct: settings.flatMap((setting) => {
      const [first] = members;
      return first === undefined ? [] : [{ setting, value: comparedValue(first, setting) }];
    }),
  }));
}

/** What runs can be grouped by: settings that differ among them, and seeds if there are several. */
export const groupings = (runs: readonly ConfiguredRun[]): SettingName[] => {
  const differ = differing(runs);
  return settingNamesOf(runs).filter((name) => differ.has(name));
};

/** Of the mean: numbers have four digits. */
const smallestShown = 5e-5;

export interface Spread {
  readonly mean: number;
  /** Sample standard deviation; undefined for a single value, and if no digit that is shown would differ. */
  readonly deviation: number | undefined;
  readonly count: number;
}

export function spreadOf(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value): value is number => value !== undefined && Number.isFinite(value));
  if (known.length === 0) return undefined;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = known.length < 2 ? 0 : Math.sqrt(squares / (known.length - 1));
  return {
    mean,
    deviation: deviation <= smallestShown * Math.abs(mean) ? undefined : deviation,
    count: known.length,
  };
}
