import { expect, it } from 'vitest';
import { createHandClock } from '../../base/testing/hand-clock.ts';
import { timeAwake } from './time-awake.ts';

it('hours in which nothing happened, as in a sleeping computer, count as minutes', () => {
  const clock = createHandClock();
  const down = timeAwake(clock, 1_200_000);
  const minutes: number[] = [];
  for (const pause of [15, 15, 64 * 60, 15]) {
    clock.pass(pause * 60_000);
    minutes.push(down.passed() / 60_000);
  }
  expect(minutes).toEqual([15, 30, 50, 65]);
});
