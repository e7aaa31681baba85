/** Cancels waiting for slow work when an AbortSignal fires. */
import { RinglabError } from '../../shared/base/errors.ts';

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new RinglabError('cancelled');
}

/** The result of `work`, or `cancelled` as soon as the signal fires; the work itself goes on. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(new RinglabError('cancelled'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** A signal that fires with the given one and belongs to one piece of work alone: what is read for this work can be kept by it. */
export const signalOfWork = (given?: AbortSignal): AbortSignal =>
  AbortSignal.any(given === undefined ? [] : [given]);
