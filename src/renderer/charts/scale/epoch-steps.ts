/** Which steps are in which epoch: epochs have more steps where ranks have left a run, and fewer when they are back. Pure. */

import { firstNotBelow } from './search.ts';

/** So many steps are completed where so many epochs are. */
export interface EpochMark {
  readonly step: number;
  readonly epoch: number;
}

export interface EpochSteps {
  /** A step's place along epochs, with a fraction. */
  epochAt(step: number): number;
  /** The step at this place. */
  stepAt(epoch: number): number;
}

/**
 * Linear between marks, and with `stepsPerEpoch` after the last one.
 * @param marks in the order of time: where steps were done again, the later one counts
 * @param stepsPerEpoch of the epochs after the last mark; positive
 */
export function epochSteps(marks: readonly EpochMark[], stepsPerEpoch: number): EpochSteps {
  const known: EpochMark[] = [{ step: 0, epoch: 0 }];
  for (const mark of marks) {
    while ((known.at(-1)?.step ?? 0) >= mark.step && known.length > 1) known.pop();
    const last = known.at(-1);
    if (last !== undefined && mark.step > last.step && mark.epoch > last.epoch) known.push(mark);
  }
  const steps = known.map(({ step }) => step);
  const epochs = known.map(({ epoch }) => epoch);
  const between = (at: number, from: readonly number[], to: readonly number[], beyond: number): number => {
    const after = firstNotBelow(from, at);
    const before = Math.max(0, after - 1);
    const [x = 0, y = 0] = [from[before], to[before]];
    const [nextX, nextY] = after > 0 ? [from[after], to[after]] : [];
    const slope = nextX === undefined || nextY === undefined ? beyond : (nextY - y) / (nextX - x);
    return y + (at - x) * slope;
  };
  return {
    epochAt: (step) => between(step, steps, epochs, 1 / stepsPerEpoch),
    stepAt: (epoch) => between(epoch, epochs, steps, stepsPerEpoch),
  };
}
