import { describe, expect, it } from 'vitest';
import { clockSeen, onOurClock } from './node-clock.ts';

describe('fault 33: the clock of a node', () => {
  it('is not corrected if it is right within the measurement’s error', () => {
    expect(onOurClock(clockSeen(undefined, 1000, 0.8), 1010)).toBe(1010);
    expect(onOurClock(undefined, 1000)).toBe(1000);
  });

  it('is converted to ours if it is off, and again if it was set in the meantime', () => {
    const first = clockSeen(undefined, 101_000, -3600);
    expect(onOurClock(first, 101_000 - 3600)).toBe(101_000);
    // Dated before the clock was compared, by the same clock.
    expect(onOurClock(first, 100_990 - 3600)).toBe(100_990);
    expect(clockSeen(first, 102_000, -3601)).toEqual(first);
    const set = clockSeen(first, 103_000, 0.2);
    expect(onOurClock(set, 103_001)).toBe(103_001);
    expect(onOurClock(set, 101_500 - 3600)).toBe(101_500);
  });
});
