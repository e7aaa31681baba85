/** For tests: a clock whose sleeps are over at once. */
import type { Clock } from '../clock.ts';

export interface SkippingClock extends Clock {
  /** Lets so many milliseconds pass. */
  skip(milliseconds: number): void;
}

/** A clock for tests that starts at 0 and whose sleeps are over at once, with their time passed. Nothing that was planned is called. */
export function createSkippingClock(): SkippingClock {
  let ticks = 0;
  const skip = (milliseconds: number): void => {
    ticks += milliseconds;
  };
  return {
    now: () => ticks,
    ticks: () => ticks,
    sleep(milliseconds) {
      skip(milliseconds);
      return Promise.resolve();
    },
    after: () => () => undefined,
    random: () => 0,
    skip,
  };
}
