import { expect, it } from 'vitest';
import { seriesName } from '../../../shared/metrics/metrics.ts';
import { trainerTracks } from './compare-list.ts';

const run = { id: 'r', start: 0, stepsPerEpoch: 10, isScript: false };

it('compares a run along the ranks that had rank 0’s part, under the names of whole runs', () => {
  const [whole, fewer] = trainerTracks(
    [
      { ...run, evaluating: [0], steady: 0 },
      { ...run, evaluating: [0, 1, 2], steady: 2 },
    ],
    'step',
  );
  expect(fewer?.wanted.map(({ series }) => series)).toEqual(whole?.wanted.map(({ series }) => series));
  expect(whole?.wanted.map(({ keys }) => keys.map(seriesName))).toEqual([
    ['rank-0/step/loss'],
    ['rank-0/eval/top1'],
    ['rank-0/step/step_seconds'],
  ]);
  expect(fewer?.wanted.map(({ keys }) => keys.map(seriesName))).toEqual([
    ['rank-2/step/loss'],
    ['rank-0/eval/top1', 'rank-1/eval/top1', 'rank-2/eval/top1'],
    ['rank-2/step/step_seconds'],
  ]);
});
