/** Which steps are in which epoch: epochs have more steps where ranks have left a run, and fewer when they are back. Pure. */

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
 * @param stepsPerEpoch of the epoch that is under way; positive
 */
export function epochSteps(marks: readonly EpochMark[], stepsPerEpoch: number): EpochSteps {
  const known: EpochMark[] = [{ step: 0, epoch: 0 }];
  for (const mark of marks) {
    while ((known.at(-1)?.step ?? 0) >= mark.step && known.length > 1) known.pop();
    const last = known.at(-1);
    if (last !== undefined && mark.step > last.step && mark.epoch > last.epoch) known.push(mark);
  }
  const between = (at: number, from: keyof EpochMark, to: keyof EpochMark): number => {
    const after = known.findIndex((mark) => mark[from] > at);
    const left = known[after < 0 ? known.length - 1 : Math.max(0, after - 1)] ?? { step: 0, epoch: 0 };
    const right = after > 0 ? known[after] : undefined;
    const slope =
      right === undefined
        ? from === 'step'
          ? 1 / stepsPerEpoch
          : stepsPerEpoch
        : (right[to] - left[to]) / (right[from] - left[from]);
    return left[to] + (at - left[from]) * slope;
  };
  return {
    epochAt: (step) => between(step, 'step', 'epoch'),
    stepAt: (epoch) => between(epoch, 'epoch', 'step'),
  };
}
