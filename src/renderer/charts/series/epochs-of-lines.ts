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

/** Where the epoch that is under way will end: it has more or fewer steps than later ones if ranks were lost in it, or rejoined. */
function markOfCurrent(line: MetricLine, marks: readonly EpochMark[]): EpochMark | undefined {
  const isStart = line.kind === 'start';
  const epoch = metricNumber(isStart ? line.start_epoch : line.epoch);
  const steps = positive(metricNumber(isStart ? line.steps_per_epoch : line.batches));
  if (epoch === undefined || steps === undefined) return undefined;
  const begin = epoch === 0 ? 0 : marks.findLast((mark) => mark.epoch === epoch)?.step;
  return begin === undefined ? undefined : { step: begin + steps, epoch: epoch + 1 };
}

/**
 * Undefined before the first rank started.
 * @param lines `start`; and of a run whose epochs differ in length `step`, `epoch` and `membership` of the ranks that had rank 0's part
 */
export function epochsOfLines(lines: readonly MetricLine[]): EpochSteps | undefined {
  const current = newestOf(lines, ['start', 'step', 'membership']);
  const members = newestOf(lines, ['start', 'membership']);
  const later = positive(metricNumber(members?.next_epoch_steps));
  const steps = positive(
    metricNumber(current?.kind === 'start' ? current.steps_per_epoch : current?.batches),
  );
  const epoch = later ?? steps;
  if (current === undefined || epoch === undefined) return undefined;
  const marks = marksOf(lines);
  const mark = markOfCurrent(current, marks);
  return epochSteps(mark === undefined ? marks : [...marks, mark], epoch);
}
