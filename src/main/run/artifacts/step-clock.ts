/** When a rank's trainer printed the lines of its log that name a step: the time of that step, in the attempt that the line is from. Pure. */
import { metricNumber, rankSource, type Point } from '../../../shared/metrics/metrics.ts';
import { timelineOf, type Timeline } from '../../../shared/metrics/timeline.ts';

/** `Epoch: [3][ 10/63]` of PyTorch's main.py, counted from 1 within the epoch. */
const stepLine = /^Epoch: \[(\d+)\]\[\s*(\d+)\/(\d+)\]/;

/** Unix seconds; undefined where the line names no step. The lines are given in the order of the log. */
export type StepClock = (line: string) => number | undefined;

interface Attempt {
  /** Steps that it has done. */
  readonly from: number;
  readonly to: number;
  readonly perEpoch: number | undefined;
  /** Epoch → its first step: epochs are of other lengths where ranks were lost, or came back. */
  readonly begins: ReadonlyMap<number, number>;
  readonly timeline: Timeline;
}

function beginsOf(part: readonly Point[], before: ReadonlyMap<number, number>): Map<number, number> {
  const start = part.find(({ line }) => line.kind === 'start')?.line;
  const first = metricNumber(start?.start_epoch) ?? -1;
  // What the attempt before did of later epochs is done again, maybe by other ranks.
  const begins = new Map([...before].filter(([epoch]) => epoch <= first));
  for (const { line } of part) {
    const [epoch, step, batch] = [line.epoch, line.step, line.batch].map(metricNumber);
    if (epoch === undefined || step === undefined) continue;
    if (line.kind === 'epoch') begins.set(epoch + 1, step);
    else if (line.kind === 'step' && batch !== undefined) begins.set(epoch, step - batch);
  }
  return begins;
}

/** @param perEpoch where its first step is not known */
function firstStep({ begins }: Attempt, epoch: number, perEpoch: number): number {
  const begin = begins.get(epoch);
  if (begin !== undefined) return begin;
  const known = Math.max(0, ...[...begins.keys()].filter((one) => one <= epoch));
  return (begins.get(known) ?? 0) + (epoch - known) * perEpoch;
}

function attemptsOf(points: readonly Point[], rank: number, stepsAreCut: boolean): Attempt[] {
  const parts: Point[][] = [];
  for (const point of points.toSorted((a, b) => a.line.seq - b.line.seq)) {
    const part = parts.at(-1);
    if (part === undefined || point.line.kind === 'start') parts.push([point]);
    else part.push(point);
  }
  let begins: ReadonlyMap<number, number> = new Map();
  const oldest = points.find(({ line }) => line.kind === 'step')?.line.seq ?? 0;
  return parts.map((part, index) => {
    const start = part.find(({ line }) => line.kind === 'start')?.line;
    const steps = part.map(({ line }) => metricNumber(line.step) ?? 0);
    const isLast = index === parts.length - 1;
    begins = beginsOf(part, begins);
    // Of its steps nothing is known: it is left where they go back.
    const isOlder = stepsAreCut && part.every(({ line }) => line.seq < oldest);
    return {
      // Without its start line the attempt is older than the lines that were read.
      from: start === undefined ? -Infinity : (metricNumber(start.start_step) ?? 0),
      // The log may be ahead of the metrics.
      to: isLast || isOlder ? Infinity : steps.reduce((a, b) => Math.max(a, b)),
      perEpoch: metricNumber(start?.steps_per_epoch),
      begins,
      timeline: timelineOf(part, rankSource(rank)),
    };
  });
}

/**
 * Undefined where the rank has no lines with steps and times: of an own script, and where its trainer did not begin.
 * @param points of the rank, oldest first within a kind: `start`, `step` and others with a step
 * @param stepsAreCut of its `step` lines only the newest are given
 */
export function stepClock(
  points: readonly Point[],
  rank: number,
  stepsAreCut: boolean,
): StepClock | undefined {
  const attempts = attemptsOf(points, rank, stepsAreCut);
  const newest = attempts.at(-1);
  if (newest === undefined) return undefined;
  let current = 0;
  let before: readonly [number, number] = [-1, 0];
  return (line) => {
    const [, ...numbers] = stepLine.exec(line) ?? [];
    const [epoch, batch, batches] = numbers.map(Number);
    if (epoch === undefined || batch === undefined) return undefined;
    const stepIn = (attempt: Attempt): number =>
      firstStep(attempt, epoch, attempt.perEpoch ?? newest.perEpoch ?? batches ?? 0) + batch - 1;
    // A log has all attempts, one after the other: steps that begin anew are another one's.
    const isLater = epoch > before[0] || (epoch === before[0] && batch > before[1]);
    const first = isLater ? current : current + 1;
    const at = attempts.findIndex((attempt, index) => {
      if (index < first) return false;
      const step = stepIn(attempt);
      return step >= attempt.from && step <= attempt.to;
    });
    if (at >= 0) current = at;
    before = [epoch, batch];
    const attempt = attempts[current];
    return attempt?.timeline.timeAt(stepIn(attempt));
  };
}
