/** Time as the run service sees it: injected, so that waits can be shortened and clocks can jump in tests. */
import { setTimeout as wait } from 'node:timers/promises';
import { RinglabError } from '../../../shared/base/errors.ts';

export interface Clock {
  /** Unix seconds, with fraction; may jump. */
  now(): number;
  /** Milliseconds that never go back. */
  ticks(): number;
  /** Rejects with `cancelled` when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now() / 1000,
  ticks: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    try {
      await wait(milliseconds, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw new RinglabError('cancelled', {}, { cause: error });
    }
  },
};
