import { expect, it } from 'vitest';
import { imagesOfStep, shareOfBatch } from './batch-share.ts';

it('every rank has an equal share of the batch, at least one image', () => {
  expect([96, 97, 3, 2].map((batch) => shareOfBatch(batch, 3))).toEqual([32, 32, 1, 1]);
});

it('all micro-batches of a rank are equal: a step takes no remainder', () => {
  expect(shareOfBatch(95, 3, 16)).toBe(1);
  expect(imagesOfStep(95, 3, 16)).toBe(16);
  expect(imagesOfStep(96, 3, 1)).toBe(32);
});
