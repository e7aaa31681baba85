/**
 * Stops the active runs or leaves them running when the user closes the app. The host asks the question; this module
 * acts on the answer.
 */
import { isWithinHour } from '../../shared/run/recovery.ts';
import { isEnded, type RunRecord } from '../../shared/run/run.ts';
import type { Runs } from '../run/index.ts';

/** `stay`: the user decided not to close the app. */
export type ClosingAnswer = 'keep' | 'stop' | 'stay';
/** Receives the active runs and returns the user's answer. */
export type ClosingQuestion = (runs: readonly RunRecord[]) => Promise<ClosingAnswer>;

/**
 * A stopped run saves a checkpoint first. After this time the app closes anyway, and the run finishes stopping by
 * itself.
 */
const stopWithinMs = 60_000;

/** A run of a queue is prepared within this time after the end of the one before. */
const nextWithinSeconds = 60;

const isActive = ({ state }: Pick<RunRecord, 'state'>): boolean => !isEnded(state) && state !== 'queued';

/**
 * Whether an app without a window has something to follow. A queued run counts only where its turn comes by itself: a queue
 * that holds waits for the user.
 * @param now in seconds, as runs are dated
 */
export function needApp(
  runs: readonly Pick<RunRecord, 'labId' | 'state' | 'endedAt' | 'unfetched'>[],
  now: number,
): boolean {
  const justEnded = new Set(
    runs
      .filter(({ endedAt }) => endedAt !== undefined && Math.abs(now - endedAt) < nextWithinSeconds)
      .map(({ labId }) => labId),
  );
  return runs.some(
    (run) =>
      isActive(run) ||
      (run.state === 'queued' && justEnded.has(run.labId)) ||
      // With its pods its checkpoints would be gone; after an hour they are.
      (run.unfetched === true && isWithinHour(run.endedAt ?? 0, now)),
  );
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, milliseconds, undefined);
  await Promise.race([work, over]);
  clearTimeout(timer);
}

/**
 * Returns true where the app may close: no active run, the user keeps them running, or they have been stopped. Queued runs
 * stay queued.
 * @param withinMs time limit for stopping
 */
export async function settleRuns(
  runs: Pick<Runs, 'list' | 'stop'>,
  ask: ClosingQuestion,
  withinMs = stopWithinMs,
): Promise<boolean> {
  const underWay = async (): Promise<RunRecord[]> => (await runs.list()).filter(isActive);
  const before = await underWay();
  if (before.length === 0) return true;
  const answer = await ask(before);
  if (answer !== 'stop') return answer === 'keep';
  const end = performance.now() + withinMs;
  const stopped = new Set<string>();
  for (;;) {
    // Listed again: meanwhile a queue may have started its next run, and one that has ended needs no stop.
    const active = await underWay();
    const left = end - performance.now();
    if (active.length === 0 || left <= 0) return true;
    const fresh = active.filter(({ id, state }) => !stopped.has(id) && state !== 'stopping');
    for (const { id } of fresh) stopped.add(id);
    // A stop is recorded first, which waits where this computer's disk is full.
    await within(left, Promise.allSettled(fresh.map(({ id }) => runs.stop(id))));
    await new Promise((resolve) => setTimeout(resolve, Math.min(100, left)));
  }
}
