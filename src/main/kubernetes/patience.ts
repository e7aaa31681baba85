/** Asks a cluster's API again where it is away for a moment, for what must not be given up for that. */
import { RinglabError } from '../../shared/base/errors.ts';
import type { Clock } from '../base/clock.ts';

/** Milliseconds between tries. */
const every = 500;

/**
 * @param ask may have been carried out where its answer was lost: it must do no harm twice
 * @param limitMs milliseconds of failures in a row; then the last one is thrown
 */
export async function patiently<T>(
  ask: () => Promise<T>,
  clock: Clock,
  limitMs: number,
  signal?: AbortSignal,
): Promise<T> {
  const began = clock.ticks();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isAway = error instanceof RinglabError && error.code === 'cluster_unreachable';
      if (!isAway || clock.ticks() - began > limitMs) throw error;
    }
    await clock.sleep(every, signal);
  }
}
