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
  readonly timeline: Timeline;
}

function attemptsOf(points: readonly Point[], rank: number, stepsAreCut: boolean): Attempt[] {
  const parts: Point[][] = [];
  for (const point of points.toSorted((a, b) => a.line.seq - b.line.seq)) {
    const part = parts.at(-1);
    if (part === undefined || point.line.kind === 'start') parts.push([point]);
    else part.push(point);
  }
  const oldest = points.find(({ line }) => line.kind === 'step')?.line.seq ?? 0;
  return parts.map((part, index) => {
    const start = part.find(({ line }) => line.kind === 'start')?.line;
    const steps = part.map(({ line }) => metricNumber(line.step) ?? 0);
    const isLast = index === parts.length - 1;
    // Of its steps nothing is known: it is left where they go back.
    const isOlder = stepsAreCut && part.every(({ line }) => line.seq < oldest);
    return {
      // Without its start line the attempt is older than the lines that were read.
      from: start === undefined ? -Infinity : (metricNumber(start.start_step) ?? 0),
      // The log may be ahead of the metrics.
      to: isLast || isOlder ? Infinity : steps.reduce((a, b) => Math.max(a, b)),
      perEpoch: metricNumber(start?.steps_per_epoch),
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
  let before = -1;
  return (line) => {
    const [, epoch, batch, batches] = stepLine.exec(line) ?? [];
    if (epoch === undefined) return undefined;
    const perEpoch = attempts[current]?.perEpoch ?? newest.perEpoch ?? Number(batches);
    const step = Number(epoch) * perEpoch + Number(batch) - 1;
    // A log has all attempts, one after the other: steps that begin anew are another one's.
    const first = step > before ? current : current + 1;
    const at = attempts.findIndex(({ from, to }, index) => index >= first && step >= from && step <= to);
    if (at >= 0) current = at;
    before = step;
    return attempts[current]?.timeline.timeAt(step);
  };
}
