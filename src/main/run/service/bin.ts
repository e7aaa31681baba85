/** The bin: a deleted run is put away for a week, so that deleting can be undone; then it goes for good. */
import type { RunRecord } from '../../../shared/run/run.ts';

/** Seconds that a run stays in the bin. */
export const binSeconds = 7 * 86_400;

export const intoBin = (run: RunRecord, nodes: boolean, now: number): RunRecord => ({
  ...run,
  binned: { t: now, nodes },
});

export function outOfBin(run: RunRecord): RunRecord {
  const kept = { ...run };
  delete kept.binned;
  return kept;
}

/** Those whose week is over. */
export const overdue = (runs: readonly RunRecord[], now: number): RunRecord[] =>
  runs.filter(({ binned }) => binned !== undefined && now - binned.t > binSeconds);
