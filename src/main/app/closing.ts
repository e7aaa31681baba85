/**
 * Stops the active runs or leaves them running when the user closes the app. The host asks the question; this module
 * acts on the answer.
 */
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

/**
 * Returns true where the app may close: no active run, the user keeps them running, or they have been stopped.
 * @param withinMs time limit for stopping
 */
export async function settleRuns(
  runs: Pick<Runs, 'list' | 'stop'>,
  ask: ClosingQuestion,
  withinMs = stopWithinMs,
): Promise<boolean> {
  const underWay = async (): Promise<RunRecord[]> =>
    (await runs.list()).filter(({ state }) => !isEnded(state));
  const before = await underWay();
  if (before.length === 0) return true;
  const answer = await ask(before);
  if (answer !== 'stop') return answer === 'keep';
  // A run that ended while the question was open needs no stop.
  await Promise.allSettled(before.filter(({ state }) => state !== 'stopping').map(({ id }) => runs.stop(id)));
  const end = performance.now() + withinMs;
  while ((await underWay()).length > 0 && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return true;
}
