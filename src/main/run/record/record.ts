/** The only place that changes a run's record: validates the transition, writes to the store, then emits the event. */
import { createSerialQueue } from '../../base/serial-queue.ts';
import { isCancelled, toWireError } from '../../../shared/base/errors.ts';
import { canMove, RunProgress, type RunRecord } from '../../../shared/run/run.ts';
import { secondsNow } from '../../base/clock.ts';
import { noteReach } from './history.ts';
import type { Progress } from './progress.ts';
import { patientSave, type SavingParts } from './save-run.ts';
import { phrase } from '../../i18n/index.ts';
import { wrongState } from './wrong-state.ts';

/** Milliseconds between two events, and two writes, with progress only. */
const notifyEvery = 250;
const writeEvery = 1000;

export interface RecordKeeper {
  readonly current: RunRecord;
  /**
   * Applies a change after all earlier ones; resolves when it is stored and reported. Rejects with `run_wrong_state`
   * for an illegal transition, without any change. Waits where this computer's disk is full, and for a minute where the
   * file cannot be written. Changes that wait are stored and reported together, up to one of the run's state.
   */
  change(apply: (run: RunRecord) => RunRecord): Promise<RunRecord>;
  /** Progress is in `current` at once, reported at most four times a second and written once a second. */
  progress(progress: Progress): void;
  /** From now on nothing waits until the record can be written: what cannot be stored is rejected with `cancelled`. */
  stopWaiting(): void;
  /** Writes and reports pending changes, without waiting; nothing is reported afterwards. */
  close(): Promise<void>;
}

interface Wanted {
  readonly apply: (run: RunRecord) => RunRecord;
  readonly resolve: (run: RunRecord) => void;
  readonly reject: (error: unknown) => void;
}

export function keepRecord(dependencies: SavingParts, initial: RunRecord): RecordKeeper {
  const { events, clock } = dependencies;
  const closing = new AbortController();
  const save = patientSave(dependencies, closing.signal);
  let stored = initial;
  let overlay: Progress = {};
  const enqueue = createSerialQueue();
  const wanted: Wanted[] = [];
  let timer: NodeJS.Timeout | undefined;
  let dirty = false;
  let written = -Infinity;
  const current = (): RunRecord => ({ ...stored, ...overlay });

  const notify = (): void => {
    timer = undefined;
    events.emit('run.progress', { runId: stored.id, progress: RunProgress.parse(current()) });
    if (!dirty) return;
    const early = writeEvery - (clock.ticks() - written);
    if (early > 0) {
      timer = setTimeout(notify, Math.max(notifyEvery, early));
      return;
    }
    dirty = false;
    written = clock.ticks();
    void enqueue(() => save(current())).catch((error: unknown) => {
      if (!isCancelled(error)) events.emit('app.problem', { error: toWireError(error) });
    });
  };
  const changed = (before: RunRecord, apply: Wanted['apply']): RunRecord => {
    const applied = apply(before);
    if (applied === before) return before;
    const next = noteReach(before, applied, secondsNow(clock));
    if (next.state !== before.state && !canMove(before.state, next.state))
      throw wrongState(before, phrase('reasons.run.wait'), { detail: `${before.state} → ${next.state}` });
    return next;
  };
  /** A run of hundreds of ranks changes hundreds of times within a moment, and its record is large. */
  const applyWanted = async (): Promise<void> => {
    const before = current();
    const group: Wanted[] = [];
    let next = before;
    while (next.state === before.state) {
      const one = wanted.shift();
      if (one === undefined) break;
      try {
        next = changed(next, one.apply);
        group.push(one);
      } catch (error) {
        one.reject(error);
      }
    }
    try {
      if (next !== before) {
        await save(next);
        stored = next;
        dirty = false;
        events.emit('run.changed', { run: current() });
      }
      for (const one of group) one.resolve(current());
    } catch (error) {
      for (const one of group) one.reject(error);
    }
  };
  return {
    get current() {
      return current();
    },
    change: (apply) =>
      new Promise((resolve, reject) => {
        wanted.push({ apply, resolve, reject });
        void enqueue(applyWanted);
      }),
    progress(progress) {
      overlay = { ...overlay, ...progress };
      dirty = true;
      timer ??= setTimeout(notify, notifyEvery);
    },
    stopWaiting: () => closing.abort(),
    async close() {
      clearTimeout(timer);
      closing.abort();
      if (dirty) await enqueue(() => save(current())).catch(() => undefined);
      await enqueue.settled();
    },
  };
}
