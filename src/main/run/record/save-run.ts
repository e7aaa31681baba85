/** Saves records of runs, and waits where this computer cannot write them at the moment; repeats what has to be recorded. */
import { backOffMs, type BackOff } from '../../../shared/base/back-off.ts';
import { isCancelled, RinglabError, toWireError } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Clock } from '../../base/clock.ts';
import type { EventLog } from '../../base/events.ts';
import type { Store } from '../../store/index.ts';

/**
 * Milliseconds for which a file that cannot be written is tried again: another program that has it open, or a file server
 * that is away, is done by then.
 */
const unwritableFor = 60_000;

export interface SavingParts {
  readonly store: Pick<Store, 'saveRun'>;
  readonly events: EventLog;
  readonly clock: Clock;
  /** Milliseconds between two tries. */
  readonly diskFullRetry: number;
}

/**
 * Saves a record. Waits while the disk is full, and for a minute where the file cannot be written; reports that once. The
 * wait rejects with `cancelled` when `closing` is aborted.
 */
export function patientSave(
  { store, events, clock, diskFullRetry }: SavingParts,
  closing: AbortSignal,
): (run: RunRecord) => Promise<void> {
  return async (run) => {
    let unwritableSince: number | undefined;
    const mayPass = (error: unknown): boolean => {
      if (!(error instanceof RinglabError)) return false;
      if (error.code !== 'file_unwritable') return error.code === 'local_disk_full';
      unwritableSince ??= clock.ticks();
      return clock.ticks() - unwritableSince < unwritableFor;
    };
    for (let isReported = false; ; isReported = true) {
      try {
        await store.saveRun(run);
        return;
      } catch (error) {
        if (!mayPass(error)) throw error;
        if (!isReported) events.emit('app.problem', { error: toWireError(error) });
      }
      await clock.sleep(diskFullRetry, closing);
    }
  };
}

export interface RepeatingParts {
  readonly events: EventLog;
  readonly clock: Clock;
  readonly settings: { readonly restart: BackOff };
}

/**
 * Does what a run's end or its next step depends on until it succeeds: nothing else would try it again, and the run would
 * seem to train for ever. Reports the first failure. Rejects with `cancelled`, or when `closing` is aborted.
 */
export async function untilRecorded<T>(
  { events, clock, settings }: RepeatingParts,
  closing: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (closing.aborted || isCancelled(error)) throw error;
      if (failures === 1) events.emit('app.problem', { error: toWireError(error) });
    }
    await clock.sleep(backOffMs(failures, settings.restart, clock.random()), closing);
  }
}
