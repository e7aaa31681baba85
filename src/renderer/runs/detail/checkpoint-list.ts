/** The checkpoints that a run wrote, and which of its files still hold each. Pure functions. */
import { isKeptCheckpoint, type CheckpointFile } from '../../../shared/run/checkpoint.ts';
import { metricNumber, type MetricLine, type Point } from '../../../shared/metrics/metrics.ts';

export interface WrittenCheckpoint {
  /** Which rank saved it. */
  readonly rank: number;
  /** Completed epochs. */
  readonly epoch: number;
  readonly step: number | undefined;
  /** Unix seconds. */
  readonly t: number;
  readonly bytes: number | undefined;
  /** Seconds for which training was paused to save it. */
  readonly stall: number | undefined;
  /** From the validation after that epoch. */
  readonly top1: number | undefined;
  readonly best: boolean;
  /** On its node. */
  readonly path: string;
  /** Files that hold it now, the most lasting first; none if later ones overwrote it. */
  readonly files: readonly CheckpointFile[];
}

/**
 * Newest first.
 * @param points `checkpoint` and `eval` lines of the ranks that had rank 0's part, each's oldest first
 */
export function checkpointsOf(points: readonly Point[]): WrittenCheckpoint[] {
  const ordered = points.toSorted((a, b) => a.line.t - b.line.t);
  const lines = ordered.map(({ line }) => line);
  const accuracy = new Map<number, number>();
  for (const line of lines) {
    const [epoch, top1] = [metricNumber(line.epoch), metricNumber(line.top1)];
    // An evaluation has the number of its epoch, counted from 0; a checkpoint has the number of completed epochs.
    if (line.kind === 'eval' && epoch !== undefined && top1 !== undefined) accuracy.set(epoch + 1, top1);
  }
  const isWritten = (line: MetricLine): boolean => line.kind === 'checkpoint' && line.file === 'checkpoint';
  const written = lines.filter(isWritten);
  const last = written.at(-1);
  const best = written.findLast((line) => line.best === true);
  /** Training resumed from before this epoch and reached it again. */
  const keptAgain = (line: (typeof written)[number]): boolean =>
    written.findLast(({ kept }) => kept === line.kept) !== line;
  return ordered
    .filter(({ line }) => isWritten(line))
    .map(({ source, line }): WrittenCheckpoint => {
      const epoch = metricNumber(line.epoch) ?? 0;
      return {
        rank: Number(source.replace('rank-', '')),
        epoch,
        step: metricNumber(line.step),
        t: line.t,
        bytes: metricNumber(line.bytes),
        stall: metricNumber(line.stall_seconds),
        top1: accuracy.get(epoch),
        best: line.best === true,
        path: typeof line.path === 'string' ? line.path : '',
        files: [
          ...(typeof line.kept === 'string' && isKeptCheckpoint(line.kept) && !keptAgain(line)
            ? [line.kept]
            : []),
          ...(line === best ? (['model_best.pth.tar'] as const) : []),
          ...(line === last ? (['checkpoint.pth.tar'] as const) : []),
        ],
      };
    })
    .reverse();
}

/**
 * The file to start a new run from. While the old run is active, only a file that no later save replaces, since the new run
 * waits for its end.
 */
export const lastingFile = (checkpoint: WrittenCheckpoint, ended: boolean): CheckpointFile | undefined =>
  ended ? checkpoint.files[0] : checkpoint.files.find(isKeptCheckpoint);
