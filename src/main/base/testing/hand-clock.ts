/** A clock that a test moves by hand. */
import { pause, type Clock } from '../clock.ts';

export interface HandClock extends Clock {
  /** Advances the clock and calls what is due, in order. */
  pass(milliseconds: number): void;
  /** Sets the wall clock to another time, as a correction or a wrong date does. */
  jump(milliseconds: number): void;
}

export function createHandClock(): HandClock {
  let time = 1_000_000;
  let wrong = 0;
  let waiting: { at: number; action: () => void }[] = [];
  const clock: HandClock = {
    now: () => time + wrong,
    ticks: () => time,
    random: () => 0.5,
    sleep(milliseconds, signal) {
      return pause(clock, milliseconds, signal ?? new AbortController().signal);
    },
    after(milliseconds, action) {
      const entry = { at: time + milliseconds, action };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((one) => one !== entry);
      };
    },
    jump(milliseconds) {
      wrong += milliseconds;
    },
    pass(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        const [next] = waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        waiting = waiting.filter((one) => one !== next);
        time = Math.max(time, next.at);
        next.action();
      }
      time = end;
    },
  };
  return clock;
}
