/** Time and randomness as an interface, so that tests can control both. All times in milliseconds. */
import { RinglabError } from '../../shared/base/errors.ts';

export interface Clock {
  /** Wall clock since 1970; may jump. */
  now(): number;
  /** Monotonic clock. */
  ticks(): number;
  /** Calls `action` once after `milliseconds`; returns a function that cancels it. Does not keep the process alive. */
  after(milliseconds: number, action: () => void): () => void;
  /** Rejects with `cancelled` when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** 0 ≤ x < 1; jitter for retries of several nodes. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds).unref();
    return () => clearTimeout(timer);
  },
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(new RinglabError('cancelled'));
        return;
      }
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(new RinglabError('cancelled'));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
  random: () => Math.random(),
};

/** Unix seconds with a fraction, as in records and files. */
export const secondsNow = (clock: Pick<Clock, 'now'>): number => clock.now() / 1000;

/** Resolves after the time; rejects with the signal's reason where it is aborted first. */
export function pause(clock: Pick<Clock, 'after'>, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const aborted = (): void => {
      stop();
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const stop = clock.after(milliseconds, () => {
      signal.removeEventListener('abort', aborted);
      resolve();
    });
    signal.addEventListener('abort', aborted, { once: true });
  });
}
