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
 * Where the first epoch began of a run that goes on from another one's checkpoint. The epochs before are in none of its lines, and may have
 * had other numbers of steps.
 */
function originOf(lines: readonly MetricLine[]): EpochMark[] {
  const first = lines.filter(({ kind }) => kind === 'start').toSorted((a, b) => a.t - b.t)[0];
  const steps = positive(metricNumber(first?.steps_per_epoch));
  const [epoch = 0, step] = [metricNumber(first?.start_epoch), metricNumber(first?.start_step)];
  if (first === undefined || steps === undefined || step === undefined || epoch <= 0) return [];
  const begins = lines.flatMap((line) => {
    const [at, done] = [metricNumber(line.step), line.kind === 'epoch' ? steps : metricNumber(line.batch)];
    return line.epoch === epoch && at !== undefined && done !== undefined ? [at - done] : [];
  });
  // Before its first step: in mid-epoch if all epochs were as long as this one, otherwise at the end of one.
  const even = epoch * steps;
  const isEven = step >= even && step < even + steps;
  return [{ step: begins.at(-1) ?? (isEven ? even : step), epoch }];
}

/**
 * Undefined before the first rank started.
 * @param lines `start`; and of a run whose epochs differ in length `step`, `epoch` and `membership` of the ranks that had rank 0's part
 */
export function epochsOfLines(lines: readonly MetricLine[]): EpochSteps | undefined {
  const newest = newestOf(lines, ['start', 'step', 'membership']);
  const current = newest === undefined ? undefined : epochOf(newest);
  if (current === undefined) return undefined;
  const marks = [...originOf(lines), ...marksOf(lines)];
  const begin = current.epoch === 0 ? 0 : marks.findLast(({ epoch }) => epoch === current.epoch)?.step;
  const end = begin === undefined ? [] : [{ step: begin + current.steps, epoch: current.epoch + 1 }];
  const members = newestOf(lines, ['start', 'membership']);
  const later = positive(metricNumber(members?.next_epoch_steps));
  return epochSteps([...marks, ...end], later ?? current.steps);
}
