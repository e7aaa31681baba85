/** How long a run took. Pure. */
import type { RunSummary } from '../../../shared/contract/api.ts';
import { isEnded } from '../../../shared/run/run.ts';

/** Seconds that a run took, or has taken so far. */
export function tookOf(run: RunSummary, now: number): number | undefined {
  if (run.startedAt === undefined) return undefined;
  return (run.endedAt ?? (isEnded(run.state) ? run.startedAt : now)) - run.startedAt;
}
