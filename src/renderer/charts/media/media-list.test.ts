import { expect, it } from 'vitest';
import type { RunHistogram } from '../../../shared/run/run-media.ts';
import { byName, stripOf } from './media-list.ts';

const histogram = (step: number, low: number, high: number, counts: number[], more = {}): RunHistogram => ({
  rank: 0,
  seq: step,
  t: step,
  step,
  name: 'w',
  low,
  high,
  counts,
  ...more,
});

it('groups by name and rank, in natural order and by step', () => {
  const items = [
    histogram(2, 0, 1, [1], { name: 'layer10' }),
    histogram(1, 0, 1, [1], { name: 'layer10' }),
    histogram(1, 0, 1, [1], { name: 'layer2' }),
    histogram(1, 0, 1, [1], { name: 'layer2', rank: 1 }),
  ];
  const listed = byName(items, undefined).map(({ name, rank, items: of }) => [
    name,
    rank,
    of.map(({ step }) => step),
  ]);
  expect(listed).toEqual([
    ['layer2', 0, [1]],
    ['layer2', 1, [1]],
    ['layer10', 0, [1, 2]],
  ]);
  expect(byName(items, 1).map(({ name }) => name)).toEqual(['layer2']);
});

it('draws histograms of different ranges on one scale', () => {
  const strip = stripOf([histogram(0, 0, 2, [1, 3]), histogram(1, 2, 4, [2, 2])], 100, 4);
  expect([strip.low, strip.high]).toEqual([0, 4]);
  expect(strip.columns).toEqual([
    [1 / 3, 1, 0, 0],
    [0, 0, 1, 1],
  ]);
});

it('divides a wide bin among rows, and draws a single value', () => {
  expect(stripOf([histogram(0, 0, 4, [8])], 100, 4).columns).toEqual([[1, 1, 1, 1]]);
  expect(stripOf([histogram(0, 5, 5, [8])], 100, 4).columns).toEqual([[1, 0, 0, 0]]);
  const both = stripOf([histogram(0, 0, 4, [1, 0, 0, 0]), histogram(1, 3, 3, [8])], 100, 4).columns;
  expect(both).toEqual([
    [1, 0, 0, 0],
    [0, 0, 0, 1],
  ]);
});

it('thins many histograms out, and keeps the newest', () => {
  const many = Array.from({ length: 250 }, (_, step) => histogram(step, step, step + 1, [1]));
  const strip = stripOf(many, 100, 4);
  expect(strip.columns).toHaveLength(84);
  expect(strip.high).toBe(250);
});
