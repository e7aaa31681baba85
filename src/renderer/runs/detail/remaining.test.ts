import { describe, expect, it } from 'vitest';
import { noteProgress, secondsRemaining, type Seen } from './remaining.ts';

const seenOf = (...progress: readonly (readonly [t: number, step: number])[]): Seen | undefined =>
  progress.reduce<Seen | undefined>((seen, [t, step]) => noteProgress(seen, { t, step }), undefined);

describe('the time that a run still takes', () => {
  it('ignores the first step’s waiting time: ranks that were not ready, the broadcast of the weights', () => {
    const waited = seenOf([0, 0], [90, 1]);
    expect(secondsRemaining(waited, 100)).toBeUndefined();
    const begun = seenOf([0, 0], [90, 1], [92, 2], [94, 3]);
    expect(secondsRemaining(begun, 100)).toBeCloseTo(97 * 2);
  });

  it('ignores the step that was running when the measurement began', () => {
    expect(secondsRemaining(seenOf([0, 500], [1, 501], [11, 502], [21, 503]), 600)).toBeCloseTo(97 * 10);
  });

  it('is estimated for steps that take minutes, and ignores old measurements', () => {
    expect(secondsRemaining(seenOf([0, 0], [200, 1], [400, 2], [600, 3], [800, 4]), 10)).toBeCloseTo(6 * 200);
    const faster = seenOf([0, 0], [60, 1], [120, 2], ...counting(200).map((n) => [121 + n, 3 + n] as const));
    expect(secondsRemaining(faster, 1002)).toBeCloseTo(800, 0);
  });

  it('is unknown at first, without the number of steps, and after steps that decreased', () => {
    expect(secondsRemaining(seenOf([0, 0], [1, 1], [1.5, 2], [2, 3]), 100)).toBeUndefined();
    expect(secondsRemaining(seenOf([0, 0], [1, 1], [11, 2], [21, 3]), undefined)).toBeUndefined();
    expect(secondsRemaining(seenOf([0, 0], [1, 1], [11, 2], [21, 3], [22, 0]), 100)).toBeUndefined();
    expect(secondsRemaining(undefined, 100)).toBeUndefined();
  });

  it('is never negative', () => {
    expect(secondsRemaining(seenOf([0, 0], [1, 1], [3, 2], [5, 3]), 2)).toBe(0);
  });
});

const counting = (to: number): number[] => Array.from({ length: to }, (_, index) => index);
