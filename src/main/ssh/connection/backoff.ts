/** Exponential back-off with jitter, so that nodes do not all reconnect at once. */

export interface BackoffTimes {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** @param failures so far, from 1 */
export const backoffMs = (failures: number, { firstMs, longestMs }: BackoffTimes, random: number): number =>
  Math.round(Math.min(firstMs * 2 ** (failures - 1), longestMs) * (0.8 + 0.4 * random));
