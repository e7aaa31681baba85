/** Which of a script's files is the best by a scalar: its value when each file appeared. Pure functions. */
import type { Series } from '../../../shared/metrics/metrics.ts';

/** The last finite value at or before `t`; undefined where there is none. */
export function valueAt({ x, y }: Pick<Series, 'x' | 'y'>, t: number): number | undefined {
  for (let i = x.length - 1; i >= 0; i -= 1) {
    const value = y[i];
    if ((x[i] ?? t) <= t && value !== null && value !== undefined) return value;
  }
  return undefined;
}

/** The index of the best value, the first of equal ones; undefined where no file has one. */
export function bestFile(values: readonly (number | undefined)[], highest: boolean): number | undefined {
  let best: number | undefined;
  values.forEach((value, index) => {
    const known = best === undefined ? undefined : values[best];
    if (value === undefined) return;
    if (known === undefined || (highest ? value > known : value < known)) best = index;
  });
  return best;
}
