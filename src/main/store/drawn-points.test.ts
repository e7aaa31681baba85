import { expect, it } from 'vitest';
import { SortedPoints } from './drawn-points.ts';
import { randomFrom } from './testing/fixtures.ts';

const random = randomFrom(7);
it.each([
  ['none', 0, () => 0],
  ['one', 1, () => 3],
  ['in order', 500, (row: number) => row],
  ['against it', 500, (row: number) => -row],
  ['counted anew in each of many epochs', 1000, (row: number) => row % 70],
  ['at random, many at one x', 1000, () => Math.floor(random() * 50)],
])('points are in the order of x, and of equal x in the order given: %s', (_, rows, at) => {
  const given = Array.from({ length: rows }, (_, row): [number, number] => [at(row), row]);
  const points = new SortedPoints(rows + 5);
  for (const [x, y] of given) points.add(x, y);
  const { x, y } = points.finish();
  const wanted = given.toSorted((a, b) => a[0] - b[0]); // Stable.
  expect([...x]).toEqual(wanted.map(([one]) => one));
  expect([...y]).toEqual(wanted.map(([, one]) => one));
});
