/** The bin: a deleted run stays in it for a week, so that deletion can be undone. */
import type { RunRecord } from '../../../shared/run/run.ts';

/** Seconds until a run in the bin is deleted. */
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

/** Runs whose time in the bin is over. */
export const overdue = (runs: readonly RunRecord[], now: number): RunRecord[] =>
  runs.filter(({ binned }) => binned !== undefined && now - binned.t > binSeconds);
