/** Whether the app has something to follow, asked every second while no window is open. */
import { needApp } from '../../../app/closing.ts';
import type { Runs } from '../../../run/index.ts';

/** Checkpoints in pods are fetched within an hour of their run's end; all else that needs the app is sooner over. */
const newestSeconds = 3600;

/** @param now in seconds, as runs are dated */
export async function needsApp(runs: Pick<Runs, 'underWay' | 'recent'>, now: number): Promise<boolean> {
  // From memory: the store has the metrics of a run that trains to write.
  if (runs.underWay().length > 0) return true;
  return needApp(await runs.recent(now - newestSeconds), now);
}
