/** What becomes of the runs that are under way when the user closes the app. Hosts ask; this does it. */
import { isEnded, type RunRecord } from '../../shared/run/run.ts';
import type { Runs } from '../run/index.ts';

/** `stay`: the app is not closed after all. */
export type ClosingAnswer = 'keep' | 'stop' | 'stay';
/** Names the runs that go on, and gives the user's answer. */
export type ClosingQuestion = (runs: readonly RunRecord[]) => Promise<ClosingAnswer>;

/** A stopped run saves a checkpoint first; after this the app closes all the same, and the run stops by itself. */
const stopWithinMs = 60_000;

/**
 * True where the app may close: nothing is under way, or the user keeps it running, or it has been stopped.
 * @param withinMs how long a stop may take
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
  // One that has ended while the user thought about it needs no stop.
  await Promise.allSettled(before.filter(({ state }) => state !== 'stopping').map(({ id }) => runs.stop(id)));
  const end = performance.now() + withinMs;
  while ((await underWay()).length > 0 && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return true;
}
