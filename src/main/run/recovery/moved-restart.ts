/**
 * Starts a supervised run again where a node's address among the ranks has changed. Supervisors meet at the addresses of their
 * commands: without this they would wait for each other until the run is given up.
 */
import type { RunRecord } from '../../../shared/run/run.ts';
import { secondsNow } from '../../base/clock.ts';
import type { RecordKeeper } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';
import { movedAddress, movedError } from './moved-address.ts';
import { decide, withRestart } from './policy.ts';
import { isSupervised } from './supervised.ts';
import { failedAttempt } from './work-lost.ts';

interface Parts {
  readonly services: Pick<RunServices, 'reach' | 'store' | 'clock' | 'events'>;
  readonly keeper: Pick<RecordKeeper, 'current' | 'change'>;
}

/** Between two looks at the nodes' addresses while supervisors wait: milliseconds. */
const lookEvery = 10_000;

/** Whether its supervisors wait for one another. */
const waits = (run: RunRecord): boolean =>
  run.state === 'running' &&
  isSupervised(run) &&
  run.recovery?.rejoins !== true &&
  run.recovery?.waiting?.for === 'nodes';

/**
 * Calls `restart` when supervisors wait and a node has another address: the record then says that all ranks stop to start again.
 * @returns ends it
 */
export function restartMoved({ services, keeper }: Parts, restart: () => void): () => void {
  const { store, clock, events } = services;
  const closing = new AbortController();
  let working = false;
  const work = async (): Promise<void> => {
    while (waits(keeper.current)) {
      const run = keeper.current;
      const moved = await movedAddress(services, run, closing.signal);
      if (moved === undefined) {
        await clock.sleep(lookEvery, closing.signal);
        continue;
      }
      const error = movedError(moved, run.epochsCompleted);
      const failed = await failedAttempt(store, run, error, secondsNow(clock));
      if (!decide(run, failed, undefined).restart) return;
      const changed = await keeper.change((now) => {
        if (!waits(now)) return now;
        const { recovery = { restarts: [] }, ...rest } = withRestart(now, failed);
        return { ...rest, recovery: { ...recovery, waiting: undefined, rejoins: true } };
      });
      if (changed.recovery?.rejoins === true) restart();
      return;
    }
  };
  const look = (): void => {
    if (working || closing.signal.aborted || !waits(keeper.current)) return;
    working = true;
    // Rejected only where it is closed.
    work()
      .catch(() => undefined)
      .finally(() => (working = false));
  };
  const unsubscribe = events.subscribe((event) => {
    if (event.name === 'run.changed' && event.data.run.id === keeper.current.id) look();
  });
  look();
  return () => {
    closing.abort();
    unsubscribe();
  };
}
