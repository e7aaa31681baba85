/** Converts between a run's steps and times. Pure. */
import { metricNumber, rankSource, type Point, type Source } from './metrics.ts';

/** The step at a given time and the time of a given step, interpolated linearly between lines that have both. */
export interface Timeline {
  stepAt(t: number): number | undefined;
  timeAt(step: number): number | undefined;
}

/** A step, and the Unix seconds at which it was reached. */
export interface Reached {
  readonly t: number;
  readonly step: number;
}

/** @param source the rank whose lines are used */
export const timelineOf = (points: readonly Point[], source: Source = rankSource(0)): Timeline =>
  timelineThrough(reachedBy(points, [source]));

/** @param sources the ranks whose lines are used */
export const reachedBy = (points: readonly Point[], sources: readonly Source[]): Reached[] =>
  points
    .filter((point) => sources.includes(point.source))
    .flatMap(({ line }) => {
      const step = metricNumber(line.kind === 'start' ? line.start_step : line.step);
      return step === undefined ? [] : [{ t: line.t, step }];
    });

export function timelineThrough(reached: readonly Reached[]): Timeline {
  const known = reached.toSorted((a, b) => a.t - b.t);
  const between = (at: number, from: 't' | 'step', to: 't' | 'step'): number | undefined => {
    const after = known.findIndex((one) => one[from] >= at);
    const right = known[after] ?? known.at(-1);
    const left = after > 0 ? known[after - 1] : after < 0 ? known.at(-2) : known[1];
    if (right === undefined) return undefined;
    if (left === undefined || left[from] === right[from]) return right[to];
    // Between an attempt's last step and the next attempt's start nothing is trained.
    if (after !== 0 && right.step < left.step) return from === 't' && at < right.t ? left.step : right[to];
    return right[to] + ((at - right[from]) * (right[to] - left[to])) / (right[from] - left[from]);
  };
  // What happened before the first step, or after the newest, happened at it.
  const within = (t: number): number => Math.min(Math.max(t, known[0]?.t ?? t), known.at(-1)?.t ?? t);
  return { stepAt: (t) => between(within(t), 't', 'step'), timeAt: (step) => between(step, 'step', 't') };
}
