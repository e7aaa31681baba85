/** Converts between a run's steps and times. Pure. */
import { metricNumber, rankSource, type Point, type Source } from './metrics.ts';

/** The step at a given time and the time of a given step, interpolated linearly between lines that have both. */
export interface Timeline {
  stepAt(t: number): number | undefined;
  timeAt(step: number): number | undefined;
}

/** @param source the rank whose lines are used */
export function timelineOf(points: readonly Point[], source: Source = rankSource(0)): Timeline {
  const known = points
    .filter((point) => point.source === source)
    .flatMap(({ line }) => {
      const step = metricNumber(line.kind === 'start' ? line.start_step : line.step);
      return step === undefined ? [] : [{ t: line.t, step }];
    })
    .sort((a, b) => a.t - b.t);
  const between = (at: number, from: 't' | 'step', to: 't' | 'step'): number | undefined => {
    const after = known.findIndex((one) => one[from] >= at);
    const right = known[after] ?? known.at(-1);
    const left = after > 0 ? known[after - 1] : after < 0 ? known.at(-2) : known[1];
    if (right === undefined) return undefined;
    if (left === undefined || left[from] === right[from]) return right[to];
    return right[to] + ((at - right[from]) * (right[to] - left[to])) / (right[from] - left[from]);
  };
  return { stepAt: (t) => between(t, 't', 'step'), timeAt: (step) => between(step, 'step', 't') };
}
