/** All newly stored points of runs, for services of this process: the event `run.points` leaves out what is too much for a window. */
import type { Source } from '../../../shared/metrics/metrics.ts';
import type { Appended } from '../../store/index.ts';

export type NewPoints = Pick<Appended, 'points' | 'unreported'>;
type Listener = (runId: string, source: Source, appended: NewPoints) => void;

export interface StoredPoints {
  readonly notify: Listener;
  readonly subscribe: (listener: Listener) => void;
}

export function createStoredPoints(): StoredPoints {
  const listeners: Listener[] = [];
  return {
    notify(runId, source, appended) {
      for (const listener of listeners) listener(runId, source, appended);
    },
    subscribe: (listener) => void listeners.push(listener),
  };
}
