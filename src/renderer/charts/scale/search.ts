/** Searches ascending numbers: points of a track, marks of an axis. */

/** The first index whose number is not below `x`; the length if there is none. */
export function firstNotBelow(ascending: readonly number[], x: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
