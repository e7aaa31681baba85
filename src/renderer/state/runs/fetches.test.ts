import { expect, it } from 'vitest';
import { remainingOf } from './fetches.ts';

it('reckons what remains at the mean speed since the first report', () => {
  const fetch = { done: 30, total: 100, first: { done: 10, at: 1000 } };
  expect(remainingOf(fetch, 5000)).toBe(14);
  expect(remainingOf(fetch, 1500)).toBeUndefined();
  expect(remainingOf({ ...fetch, done: 10 }, 5000)).toBeUndefined();
});
