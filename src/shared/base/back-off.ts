/** Back-off: how long to wait before something that failed is tried again. Waits double up to a maximum, with jitter. */

export interface BackOff {
  /** The interval after the first failure, in milliseconds. */
  readonly firstMs: number;
  /** The longest interval. */
  readonly maxMs: number;
}

/**
 * Whole milliseconds: from half of the interval to all of it, so that what failed together is not tried again together.
 * @param failures in a row so far; without one there is no wait
 * @param random 0 ≤ x < 1
 */
export const backOffMs = (failures: number, { firstMs, maxMs }: BackOff, random: number): number =>
  failures <= 0 ? 0 : Math.round(Math.min(firstMs * 2 ** (failures - 1), maxMs) * (0.5 + random / 2));
