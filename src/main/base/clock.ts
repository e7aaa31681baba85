/** Time and chance as effects: injected, so that tests need not wait, and clocks can jump in them. All in milliseconds. */
import { RinglabError } from '../../shared/base/errors.ts';

export interface Clock {
  /** Since 1970; may jump. */
  now(): number;
  /** Never goes back. */
  ticks(): number;
  /** Calls `action` once after `milliseconds`; returns how to stop it. Does not keep the process alive. */
  after(milliseconds: number, action: () => void): () => void;
  /** Rejects with `cancelled` when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** 0 ≤ x < 1; spreads the tries of several nodes. */
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

/** Unix seconds, with fraction: as records and files have them. */
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
