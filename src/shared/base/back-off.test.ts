import { expect, it } from 'vitest';
import { backOffMs } from './back-off.ts';

const times = { firstMs: 1000, maxMs: 30_000 };

it('waits grow up to their maximum, and a first try does not wait', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 30, 2000].map((failures) => backOffMs(failures, times, 0));
  expect(waits).toEqual([0, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000]);
});

it('a part of each wait is random: at most half of the interval', () => {
  expect([0, 0.5, 0.9999].map((random) => backOffMs(1, times, random))).toEqual([500, 750, 1000]);
  expect(backOffMs(2000, times, 0.9999)).toBeLessThanOrEqual(30_000);
});
