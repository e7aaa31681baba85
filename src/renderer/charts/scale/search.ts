/** Searches ascending numbers: points of a track, marks of an axis. */

/** The first index whose number is not below `x`; the length if there is none. */
export const firstNotBelow = (ascending: readonly number[], x: number): number =>
  firstThat(ascending, (one) => one >= x);

/** The first index whose number is above `x`; the length if there is none. */
export const firstAbove = (ascending: readonly number[], x: number): number =>
  firstThat(ascending, (one) => one > x);

function firstThat(ascending: readonly number[], is: (one: number) => boolean): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(ascending[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}
