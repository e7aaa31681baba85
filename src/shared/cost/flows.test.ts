import { expect, it } from 'vitest';
import type { LabDocument } from '../lab/lab.ts';
import { chain, drawing, ring, star } from '../lab/topology.fixture.ts';
import { loadOf, networkOf, type Network } from './flows.ts';

const withProcesses = (lab: LabDocument, processesPerNode: number): LabDocument => ({
  ...lab,
  nodes: lab.nodes.map((node) => ({
    ...node,
    access: { type: 'ssh', host: node.id, port: 22, user: 'u', authentication: { method: 'agent' } },
  })),
  experiment: { ...lab.experiment, processesPerNode },
});
const network = (lab: LabDocument): Network => {
  const found = networkOf(
    lab,
    lab.nodes.map(({ id }) => id),
  );
  if ('code' in found) throw new Error(found.code);
  return found;
};
/** The load of each link by all pairs of ranks, in one of its directions. */
const pairs = (lab: LabDocument): number[] =>
  network(lab).links.flatMap(({ pairs: load }, index) => (index % 2 === 0 ? [load] : []));

it.each([
  [3, 1],
  [64, 1],
  [64, 8],
  [65, 1],
  [65, 8],
  [200, 2],
])('a link of %i nodes of %i processes carries the pairs of ranks at its two sides', (nodes, processes) => {
  const over = (side: number): number => {
    const load = side * processes * (nodes - side) * processes;
    return loadOf(load, load);
  };
  const inChain = pairs(withProcesses(chain(nodes), processes));
  const inStar = pairs(withProcesses(star(nodes), processes));
  for (let index = 0; index < nodes - 1; index += 1) {
    expect(inChain[index]).toBeCloseTo(over(index + 1), 3);
    expect(inStar[index]).toBeCloseTo(over(1), 3);
  }
});

/** Each node sends 1, 2, … hops to either side of it. */
it.each([
  [9, 0],
  [63, 0],
  [501, 0.05],
])('in a ring of %i nodes all links carry the same, within %d of it', (nodes, error) => {
  const half = (nodes - 1) / 2;
  const all = loadOf((half * (half + 1)) / 2, (half * (half + 1)) / 2);
  for (const { pairs: load } of network(ring(nodes)).links)
    expect(Math.abs(load - all) / all).toBeLessThanOrEqual(error + 1e-9);
});

it('a cycle with branches carries the pairs of each route', () => {
  // N4 hangs from N1 and N5 from N4: three ranks on N1's side of the triangle.
  const lab = drawing(5, [
    [1, 2],
    [2, 3],
    [3, 1],
    [1, 4],
    [4, 5],
  ]);
  expect(pairs(lab).map((load) => Math.round(load / loadOf(1, 1)))).toEqual([3, 1, 3, 6, 4]);
});
