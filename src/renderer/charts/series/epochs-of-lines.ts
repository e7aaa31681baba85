/** How many steps each epoch of a run has, by the lines of its ranks. Pure. */
import { metricNumber, type MetricLine } from '../../../shared/metrics/metrics.ts';
import { epochSteps, type EpochMark, type EpochSteps } from '../scale/epoch-steps.ts';

const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined;

const newestOf = (lines: readonly MetricLine[], kinds: readonly string[]): MetricLine | undefined =>
  lines.filter(({ kind }) => kinds.includes(kind)).toSorted((a, b) => b.t - a.t)[0];

/** Where epochs ended, of the lines of all ranks that had rank 0's part. */
function marksOf(lines: readonly MetricLine[]): EpochMark[] {
  const ends = lines.flatMap((line) => {
    const [step, epoch] = [metricNumber(line.step), metricNumber(line.epoch)];
    return line.kind === 'epoch' && step !== undefined && epoch !== undefined
      ? [{ t: line.t, step, epoch: epoch + 1 }]
      : [];
  });
  return ends.toSorted((a, b) => a.t - b.t);
}

/** The epoch that a line is from, and the steps that it has: more or fewer than later ones if ranks were lost in it, or rejoined. */
function epochOf(line: MetricLine): { readonly epoch: number; readonly steps: number } | undefined {
  const isStart = line.kind === 'start';
  const epoch = metricNumber(isStart ? line.start_epoch : line.epoch);
  const steps = positive(metricNumber(isStart ? line.steps_per_epoch : line.batches));
  return steps === undefined ? undefined : { epoch: epoch ?? 0, steps };
}

/**
 * Undefined before the first rank started.
 * @param lines `start`; and of a run whose epochs differ in length `step`, `epoch` and `membership` of the ranks that had rank 0's part
 */
export function epochsOfLines(lines: readonly MetricLine[]): EpochSteps | undefined {
  const newest = newestOf(lines, ['start', 'step', 'membership']);
  const current = newest === undefined ? undefined : epochOf(newest);
  if (current === undefined) return undefined;
  const marks = marksOf(lines);
  const begin = current.epoch === 0 ? 0 : marks.findLast(({ epoch }) => epoch === current.epoch)?.step;
  const end = begin === undefined ? [] : [{ step: begin + current.steps, epoch: current.epoch + 1 }];
  const members = newestOf(lines, ['start', 'membership']);
  const later = positive(metricNumber(members?.next_epoch_steps));
  return epochSteps([...marks, ...end], later ?? current.steps);
}
