import { expect, it } from 'vitest';
import type { Point } from '../metrics/metrics.ts';
import { mediaOf, storedPicture } from './run-media.ts';

const point = (kind: string, more: object): Point => ({
  source: 'rank-1',
  line: { v: 1, seq: 3, t: 7, kind, ...more },
});
const histogram = { step: 2, name: 'weights', low: -1, high: 1, counts: [1, 2] };
const picture = {
  step: 2,
  name: 'samples',
  format: 'png',
  width: 8,
  height: 8,
  file: 'runs/a/events.out.tfevents.1',
  offset: 100,
  length: 50,
};

it('reads histograms and pictures; the place of a picture’s bytes stays with the service', () => {
  const { histograms, pictures } = mediaOf([point('histogram', histogram), point('picture', picture)]);
  expect(histograms).toEqual([{ rank: 1, seq: 3, t: 7, ...histogram }]);
  expect(pictures).toEqual([
    { rank: 1, seq: 3, t: 7, step: 2, name: 'samples', format: 'png', width: 8, height: 8 },
  ]);
  expect(storedPicture(point('picture', picture))).toMatchObject({ offset: 100, length: 50 });
});

it('leaves out what a node makes up', () => {
  const bad = [
    point('histogram', { ...histogram, counts: [] }),
    point('histogram', { ...histogram, counts: [-1] }),
    point('histogram', { ...histogram, low: 2 }),
    point('histogram', { ...histogram, name: '' }),
    point('picture', { ...picture, format: 'svg+xml' }),
    point('picture', { ...picture, file: '../../.ssh/id' }),
    point('picture', { ...picture, file: '/etc/passwd' }),
    point('picture', { ...picture, length: 2 ** 30 }),
    point('picture', { ...picture, offset: -1 }),
  ];
  expect(mediaOf(bad)).toEqual({ histograms: [], pictures: [] });
});
