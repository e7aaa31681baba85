/** Columns and axes of scalars: which a lab's scripts have, which are shown at first, and a run's value in each. Pure. */
import type { TFunction } from 'i18next';
import {
  bestOf,
  maxValued,
  scalarMeasures,
  type RunScalarValues,
  type ScalarMeasure,
} from '../../../shared/run/scalar-values.ts';

/** `final val/loss`: no other column's name has a space. */
export type ScalarColumn = `${ScalarMeasure} ${string}`;
export type ValuesOfRuns = ReadonlyMap<string, RunScalarValues>;

export const scalarColumn = (measure: ScalarMeasure, name: string): ScalarColumn => `${measure} ${name}`;

export function readScalarColumn(
  column: string,
): { readonly measure: ScalarMeasure; readonly name: string } | undefined {
  const space = column.indexOf(' ');
  const measure = scalarMeasures.find((one) => one === column.slice(0, space));
  return space <= 0 || measure === undefined ? undefined : { measure, name: column.slice(space + 1) };
}
export const isScalarColumn = (column: string): column is ScalarColumn =>
  readScalarColumn(column) !== undefined;

/** Undefined for another column, too. */
export function scalarValue(scalars: RunScalarValues | undefined, column: string): number | undefined {
  const read = readScalarColumn(column);
  return read === undefined ? undefined : scalars?.values[read.name]?.[read.measure];
}

/** All names, those of the most runs first. */
export function namesIn(values: ValuesOfRuns): readonly string[] {
  const counts = new Map<string, number>();
  for (const { names } of values.values())
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** Maximum number of columns that are shown without having been chosen. */
const shownAtFirst = 3;

/** What runs are compared by: the validation's before the training's, and a record of the best so far last. */
const importance = (name: string): number => (/best/i.test(name) ? 2 : /val|test|eval/i.test(name) ? 0 : 1);

/** The best value where a name says what is best: of a loss, of an accuracy. Otherwise the last value of the first names. */
export function firstColumns(names: readonly string[]): readonly ScalarColumn[] {
  const ordered = names.toSorted((a, b) => importance(a) - importance(b));
  const judged = ordered.flatMap((name) => {
    const best = bestOf(name);
    return best === undefined ? [] : [{ name, best }];
  });
  const ends = (['lowest', 'highest'] as const).map((end) => judged.filter(({ best }) => best === end));
  const mixed = [0, 1].flatMap((place) => ends.flatMap((of) => of[place] ?? []));
  const found = mixed.map(({ name, best }) => scalarColumn(best, name));
  return (found.length > 0 ? found : names.map((name) => scalarColumn('final', name))).slice(0, shownAtFirst);
}

/** The names that columns and the search need, as many as can be asked for. */
export const namesWanted = (columns: readonly ScalarColumn[], searched: readonly string[]): string[] =>
  [...new Set([...searched, ...columns.flatMap((column) => readScalarColumn(column)?.name ?? [])])].slice(
    0,
    maxValued,
  );

/** 'val/loss, lowest' */
export function scalarLabel(t: TFunction, column: ScalarColumn): string {
  const read = readScalarColumn(column);
  return read === undefined ? column : t(`runTable.measured.${read.measure}`, { name: read.name });
}
