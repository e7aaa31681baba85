import { expect, test } from 'vitest';
import { labOf } from '../testing/bench.ts';
import { checkClasses, filesOfNode } from './data-parts.ts';

const images = (counts: Readonly<Record<string, number>>): { path: string }[] =>
  Object.entries(counts).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, i) => ({ path: `train/${name}/${i}.jpg` })),
  );
const partsOf = (lab: ReturnType<typeof labOf>, files: { path: string }[]): string[][] =>
  lab.nodes.map(({ id }) => filesOfNode(lab, id, files).map(({ path }) => path));

test('every image is in one part, part sizes differ by at most one, and each part has every class', () => {
  const files = images({ a: 10, b: 7, c: 12, d: 3 });
  const parts = partsOf(labOf(['x', 'y', 'z']), files);
  expect(parts.flat().sort()).toEqual(files.map(({ path }) => path).sort());
  const sizes = parts.map((part) => part.length);
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  for (const part of parts) expect(new Set(part.map((path) => path.split('/')[1])).size).toBe(4);
});

test('a class with fewer images than nodes is on every node', () => {
  const parts = partsOf(labOf(['x', 'y', 'z', 'w']), images({ rare: 2, often: 8 }));
  for (const part of parts) expect(part.some((path) => path.startsWith('train/rare/'))).toBe(true);
  expect(new Set(parts.flat()).size).toBe(10);
});

test('what is no image is not dealt out, since it would be a node’s only file of a class', () => {
  const others = ['rare/.DS_Store', 'rare/Thumbs.db', 'often/deep/notes.txt'].map((path) => ({
    path: `train/${path}`,
  }));
  const parts = partsOf(labOf(['x', 'y', 'z', 'w']), [...others, ...images({ rare: 2, often: 8 })]);
  for (const part of parts) {
    expect(part.some((path) => path.startsWith('train/rare/'))).toBe(true);
    expect(part.every((path) => path.endsWith('.jpg'))).toBe(true);
  }
});

test('a class that has files and no image is refused', () => {
  const paths = [
    'train/cat/1.jpg',
    'val/cat/1.jpg',
    'train/dog/.DS_Store',
    'val/dog/1.jpg',
    'train/.cache/a',
  ];
  expect(() => checkClasses('pets', paths)).toThrow(
    expect.objectContaining({ code: 'data_class_empty', params: { path: 'pets', names: 'train/dog' } }),
  );
});

test('a node with two ranks gets two shares, and every node all images that are not for training', () => {
  const lab = labOf(['x', 'y']);
  const [x] = lab.nodes;
  if (x === undefined) throw new Error('the lab has two nodes');
  const flavour = { ...x.placement.flavour, gpuCount: 2 };
  const access = {
    type: 'ssh',
    host: 'x',
    port: 22,
    user: 'u',
    authentication: { method: 'agent' },
  } as const;
  const drawn = {
    ...lab,
    nodes: [
      { ...x, kind: 'gpu' as const, access, placement: { ...x.placement, flavour } },
      ...lab.nodes.slice(1),
    ],
  };
  const files = [...images({ a: 12 }), { path: 'val/a/0.jpg' }, { path: 'train/readme.txt' }];
  const parts = partsOf(drawn, files);
  expect(parts.map((part) => part.length)).toEqual([8 + 2, 4 + 2]);
  for (const part of parts) expect(part).toEqual(expect.arrayContaining(['val/a/0.jpg', 'train/readme.txt']));
});
