import { expect, it } from 'vitest';
import { seriesName } from '../../../shared/metrics/metrics.ts';
import { epochSteps } from '../scale/epoch-steps.ts';
import { feedRange, layTrack, trainerTracks } from './compare-list.ts';

const run = { id: 'r', start: 0, epochs: epochSteps([], 10), isScript: false };

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

it('lays a run along the epochs that it had, longer ones where ranks were lost, and asks for their steps', () => {
  // Five epochs of 100 steps, then five of 200 with one of two ranks.
  const epochs = epochSteps([{ step: 500, epoch: 5 }], 200);
  const [tracks] = trainerTracks([{ ...run, epochs, evaluating: [0], steady: 0 }], 'epoch');
  if (tracks === undefined) throw new Error('the run has no tracks');
  const track = { x: [0, 250, 500, 900, 1500], y: [5, 4, 3, 2, 1], version: 1, after: { x: 1700, y: 0 } };
  expect(layTrack(track, tracks.laid)).toMatchObject({ x: [0, 2.5, 5, 7, 10], after: { x: 11, y: 0 } });
  expect(feedRange(tracks.laid, { from: 2.5, to: 7 })).toEqual({ from: 250, to: 900 });
  expect(feedRange(tracks.laid, undefined)).toBeUndefined();
});
