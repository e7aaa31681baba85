import { expect, it } from 'vitest';
import { bestFile, valueAt } from './output-files.ts';

const series = { x: [10, 20, 30, 40], y: [3, 1, null, 2] };

it('a file has the last finite value before it appeared', () => {
  expect([5, 10, 25, 35, 99].map((t) => valueAt(series, t))).toEqual([undefined, 3, 1, 1, 2]);
});

it('the best file has the lowest or the highest value; files without one are never it', () => {
  const values = [undefined, 3, 1, 2, 3, 1];
  expect(bestFile(values, false)).toBe(2);
  expect(bestFile(values, true)).toBe(1);
  expect(bestFile([undefined], true)).toBeUndefined();
});
