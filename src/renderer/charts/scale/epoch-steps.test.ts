import { describe, expect, it } from 'vitest';
import { epochSteps } from './epoch-steps.ts';

describe('steps of epochs', () => {
  it('are equally many where nothing changed', () => {
    const even = epochSteps([], 20);
    expect([0, 10, 20, 50].map(even.epochAt)).toEqual([0, 0.5, 1, 2.5]);
    expect([0, 0.5, 2.5].map(even.stepAt)).toEqual([0, 10, 50]);
  });

  it('are as many as the marks say, and after the last one as in the epoch under way', () => {
    // A rank left in the third epoch, and came back after the fourth.
    const marks = [
      { step: 20, epoch: 1 },
      { step: 40, epoch: 2 },
      { step: 66, epoch: 3 },
      { step: 96, epoch: 4 },
    ];
    const uneven = epochSteps(marks, 20);
    expect([0, 20, 30, 53, 66, 81, 96, 106, 136].map(uneven.epochAt)).toEqual([
      0, 1, 1.5, 2.5, 3, 3.5, 4, 4.5, 6,
    ]);
    for (const step of [0, 7, 20, 53, 96, 130]) expect(uneven.stepAt(uneven.epochAt(step))).toBeCloseTo(step);
  });

  it('are those of the later mark where steps were done again', () => {
    const marks = [
      { step: 20, epoch: 1 },
      { step: 40, epoch: 2 },
      { step: 26, epoch: 1.2 },
      { step: 50, epoch: 2 },
    ];
    const again = epochSteps(marks, 30);
    expect([20, 26, 50, 80].map(again.epochAt)).toEqual([1, 1.2, 2, 3]);
  });

  it('never go backwards, whatever a node wrote', () => {
    const marks = [
      { step: -5, epoch: 3 },
      { step: 10, epoch: 0 },
      { step: 20, epoch: 5 },
      { step: 30, epoch: 5 },
      { step: 40, epoch: 4 },
    ];
    const odd = epochSteps(marks, 10);
    const places = Array.from({ length: 60 }, (_, step) => odd.epochAt(step));
    expect(places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0))).toBe(true);
  });
});
