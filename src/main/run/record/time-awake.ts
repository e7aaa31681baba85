/** Measures for how long something has lasted, without the hours in which this computer slept: on some systems its clock goes on meanwhile. */
import type { Clock } from '../../base/clock.ts';

export interface TimeAwake {
  /** Milliseconds, as far as it was called: a longer gap between two calls counts as `longestGap`. */
  passed(): number;
}

/** Begins now. @param longestGap milliseconds; more than the caller ever waits between two calls while this computer is awake */
export function timeAwake(clock: Pick<Clock, 'ticks'>, longestGap: number): TimeAwake {
  let last = clock.ticks();
  let sum = 0;
  return {
    passed() {
      const now = clock.ticks();
      sum += Math.min(now - last, longestGap);
      last = now;
      return sum;
    },
  };
}
