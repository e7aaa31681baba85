import { expect, it } from 'vitest';
import { joinedSeries } from './joined-series.ts';

it('joins series in the order of x; at one x the first one counts, with all of its points', () => {
  expect(joinedSeries([])).toEqual({ x: [], y: [] });
  const first = { x: [1, 2, 2, 9], y: [10, 20, null, 90] };
  expect(joinedSeries([first])).toEqual(first);
  expect(joinedSeries([first, { x: [2, 3, 4], y: [21, 30, 40] }, { x: [4, 10], y: [41, null] }])).toEqual({
    x: [1, 2, 2, 3, 4, 9, 10],
    y: [10, 20, null, 30, 40, 90, null],
  });
});
