import { expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

it('the wait grows up to its maximum', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 30, 2000].map((failures) =>
    backoffMs(failures, { firstMs: 1000, longestMs: 30_000 }, 0.5),
  );
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000]);
  expect(backoffMs(1, { firstMs: 1000, longestMs: 30_000 }, 0)).toBe(800);
  expect(backoffMs(1, { firstMs: 1000, longestMs: 30_000 }, 0.999)).toBeLessThanOrEqual(1200);
});
