/** Giving up on what takes long, where a signal says so. */
import { RinglabError } from '../../shared/base/errors.ts';

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
