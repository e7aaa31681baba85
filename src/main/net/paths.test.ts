import { expect, test } from 'vitest';
import { besideDrawn } from './paths.ts';
import { drawn } from './testing/lab.ts';

test('a path has the bandwidth of its narrowest link, and the sum of all delays in both directions', () => {
  const lab = drawn('paths', ['a', 'b', 'c'], ['a-b@100', 'b-c@10']);
  lab.links = lab.links.map((link) => ({ ...link, delayMs: 5 }));
  const measured = [
    { from: 'c', to: 'a', mbps: 9.4, rttMs: 21 },
    { from: 'b', to: 'a', mbps: 93, rttMs: 11 },
  ];
  expect(besideDrawn(lab, measured, 7)).toEqual([
    {
      from: 'c',
      to: 'a',
      linkIds: [lab.links[1]!.id, lab.links[0]!.id],
      drawnMbps: 10,
      drawnRttMs: 20,
      measuredMbps: 9.4,
      measuredRttMs: 21,
      at: 7,
    },
    {
      from: 'b',
      to: 'a',
      linkIds: [lab.links[0]!.id],
      drawnMbps: 100,
      drawnRttMs: 10,
      measuredMbps: 93,
      measuredRttMs: 11,
      at: 7,
    },
  ]);
});

test('a pair of unconnected nodes has no drawn path', () => {
  const lab = drawn('paths', ['a', 'b', 'c'], ['a-b']);
  expect(besideDrawn(lab, [{ from: 'a', to: 'c', mbps: 1000, rttMs: 0.1 }], 0)).toEqual([]);
});

test('a measurement of a node that was deleted from the drawing is left out', () => {
  const lab = drawn('paths', ['a', 'b', 'c'], ['a-b', 'b-c']);
  const measured = ['b', 'c'].map((from) => ({ from, to: 'a', mbps: 9.4, rttMs: 21 }));
  const without = { ...lab, nodes: lab.nodes.slice(0, 2), links: lab.links.slice(0, 1) };
  expect(besideDrawn(without, measured, 0).map(({ from }) => from)).toEqual([lab.nodes[1]!.id]);
});
