/** Computes a run's progress from rank 0's lines. Pure. */
import { metricNumber, type MetricLine } from '../../../shared/metrics/metrics.ts';
import type { RunProgress } from '../../../shared/run/run.ts';

/** A plausible maximum of steps and bytes; a larger number could not be stored in the run's record. */
const maxCount = 1e12;

/** A line's count as a run's record can hold it: 0 where the line has none. */
export const storedCount = (field: unknown): number => {
  const number = metricNumber(field) ?? 0;
  return Number.isNaN(number) ? 0 : Math.min(maxCount, Math.max(0, Math.floor(number)));
};

export type Progress = Partial<RunProgress>;

/**
 * `loss` is of the newest step, `top1` and `top5` of the newest validation, `bestTop1` the best validation of all
 * attempts. A resumed attempt starts at its checkpoint.
 */
export function progressAfter(progress: Progress, lines: readonly MetricLine[]): Progress {
  const next: Progress = { ...progress };
  for (const line of lines) {
    if (line.kind === 'step') {
      count(line.step, 1, (step) => (next.step = step));
      value(line.loss, (loss) => (next.loss = loss));
    } else if (line.kind === 'scalar' || line.kind === 'script_progress') {
      // A script counts as it likes: the highest is how far it is.
      count(line.step, 0, (step) => (next.step = Math.max(next.step ?? 0, step)));
    } else if (line.kind === 'sharing') {
      count(line.bytes, 0, (bytes) => (next.sharedBytes = bytes));
    } else if (line.kind === 'start') {
      next.sharedBytes = 0; // the last attempt may have ended while it sent them
      count(line.start_epoch, 0, (epoch) => (next.epochsCompleted = epoch));
      count(line.start_step, 0, (step) => (next.step = step));
    } else if (line.kind === 'eval') {
      value(line.top1, (top1) => (next.top1 = top1));
      value(line.top5, (top5) => (next.top5 = top5));
      best(next, line.top1);
    } else if (line.kind === 'epoch') {
      count(line.epoch, 1, (epochs) => (next.epochsCompleted = epochs));
      value(line.val_top1, (top1) => (next.top1 = top1));
      value(line.val_top5, (top5) => (next.top5 = top5));
      best(next, line.best_top1);
    } else if (line.kind === 'end') {
      // A resumed attempt that ended before its start line has counted none.
      count(
        line.epochs_completed,
        0,
        (epochs) => (next.epochsCompleted = Math.max(next.epochsCompleted ?? 0, epochs)),
      );
      best(next, line.best_top1);
    }
  }
  return next;
}

/** Steps and epochs are counted from 0 in the lines; `plus` 1 converts them to how many are completed. */
function count(field: unknown, plus: 0 | 1, set: (count: number) => void): void {
  if (typeof field === 'number' && Number.isInteger(field) && field >= 0 && field <= maxCount)
    set(field + plus);
}

function value(field: unknown, set: (value: number | null) => void): void {
  const number = metricNumber(field);
  if (number !== undefined) set(Number.isFinite(number) ? number : null);
}

function best(progress: Progress, field: unknown): void {
  const number = metricNumber(field);
  if (number !== undefined && Number.isFinite(number))
    progress.bestTop1 = Math.max(progress.bestTop1 ?? number, number);
}
