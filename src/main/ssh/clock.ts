/** Time as the layer sees it, so that tests need not wait. */
import { RinglabError } from '../../shared/base/errors.ts';

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with `cancelled` on abort. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** 0 ≤ x < 1; spreads the tries of several nodes. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
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
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new RinglabError('cancelled');
}

/** What `work` gives, or `cancelled` as soon as the signal says so; the work itself is not stopped by this. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(new RinglabError('cancelled'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
