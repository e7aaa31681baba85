import { describe, expect, it } from 'vitest';
import type { LabDocument } from '../lab/lab.ts';
import { ringLoad, ringOrder, type RingLoad } from './ring-order.ts';
import { chain, drawing, ring, star, type DrawnLink } from '../lab/topology.fixture.ts';
import { topologyOf } from '../lab/topology.ts';
import { fastest } from '../testing/fastest.ts';

const orderOf = (lab: LabDocument, nodeIds: readonly string[]): readonly string[] =>
  ringOrder(topologyOf(lab), lab.links, nodeIds);
const loadOf = (lab: LabDocument, order: readonly string[]): RingLoad =>
  ringLoad(topologyOf(lab), lab.links, order);
const all = (lab: LabDocument): string[] => lab.nodes.map(({ id }) => id);
/** The maximum of crossings of any link in one direction. */
const max = (load: RingLoad): number =>
  Math.max(...[...load.crossings.values()].flatMap((ways) => [...ways.values()]));

/** A mesh, its nodes numbered row by row. */
function mesh(side: number): LabDocument {
  const links: DrawnLink[] = [];
  for (let here = 1; here <= side * side; here += 1) {
    if (here % side !== 0) links.push([here, here + 1]);
    if (here + side <= side * side) links.push([here, here + side]);
  }
  return drawing(side * side, links);
}

describe('the order of ranks in the ring', () => {
  it('keeps an optimal order: chain, star and ring as drawn', () => {
    for (const lab of [chain(3), chain(8), ring(8), star(5), chain(40), ring(40)])
      expect(orderOf(lab, all(lab))).toEqual(all(lab));
  });

  it('follows a chain whatever the order in which its nodes were added', () => {
    const lab = chain(8);
    const order = orderOf(lab, ['n4', 'n8', 'n1', 'n6', 'n2', 'n7', 'n3', 'n5']);
    expect(order[0]).toBe('n4');
    const load = loadOf(lab, order);
    expect(max(load)).toBe(1);
    expect(load.hops).toBe(14);
    expect(max(loadOf(lab, ['n4', 'n8', 'n1', 'n6', 'n2', 'n7', 'n3', 'n5']))).toBe(4);
  });

  it('crosses each link of a tree once in each direction, small or large', () => {
    // N1 is the root; N2, N3, … follow in breadth-first order, so that document order jumps between branches.
    for (const nodes of [7, 31, 255]) {
      const lab = drawing(
        nodes,
        Array.from({ length: nodes - 1 }, (_, index) => [Math.floor(index / 2) + 1, index + 2] as const),
      );
      const load = loadOf(lab, orderOf(lab, all(lab)));
      expect(max(load)).toBe(1);
      expect(load.hops).toBe(2 * (nodes - 1));
    }
  });

  it('visits the nodes behind a switch without the switch', () => {
    const lab = drawing(
      6,
      [
        [1, 5],
        [3, 5],
        [5, 6],
        [2, 6],
        [4, 6],
      ],
      ['cpu', 'cpu', 'cpu', 'cpu', 'switch', 'switch'],
    );
    const order = orderOf(lab, ['n1', 'n2', 'n3', 'n4']);
    expect(order).toEqual(['n1', 'n2', 'n4', 'n3']);
    expect(max(loadOf(lab, order))).toBe(1);
  });

  it('avoids the slow link even by a longer path', () => {
    const lab = drawing(4, [
      [1, 3, 1000],
      [2, 4, 1000],
      [1, 2, 1],
      [3, 4, 1000],
    ]);
    const load = loadOf(lab, orderOf(lab, all(lab)));
    expect([...load.crossings.keys()].sort()).toEqual(['l1', 'l2', 'l4']);
    expect(loadOf(lab, all(lab)).crossings.has('l3')).toBe(true);
  });

  it('is optimal for eight nodes: no other order is lighter', () => {
    const lab = drawing(8, [
      [1, 5],
      [5, 2],
      [2, 6],
      [6, 3],
      [3, 7],
      [7, 4],
      [4, 8],
      [1, 8],
      [5, 7],
      [2, 3],
    ]);
    const found = loadOf(lab, orderOf(lab, all(lab)));
    expect(found.hops).toBe(8);
    expect(max(found)).toBe(1);
  });

  it('finds a ring of direct links in a mesh', () => {
    const full = drawing(
      12,
      Array.from({ length: 12 }, (_, a) =>
        Array.from({ length: a }, (__, b) => [a + 1, b + 1] as const),
      ).flat(),
    );
    expect(loadOf(full, orderOf(full, all(full))).hops).toBe(12);
    const grid = mesh(6);
    const load = loadOf(grid, orderOf(grid, all(grid)));
    // A ring of 36 direct links exists; the heuristic may be slightly worse.
    expect(load.hops).toBeLessThanOrEqual(44);
    expect(load.hops).toBeLessThan(loadOf(grid, all(grid)).hops);
  });

  it('is fast enough while drawing, for 8 and 500 nodes', () => {
    for (const lab of [ring(8), chain(500), ring(500), star(500), mesh(22)]) {
      const order = (): void => expect(new Set(orderOf(lab, all(lab))).size).toBe(lab.nodes.length);
      expect(fastest(order)).toBeLessThan(1000);
    }
  });

  it('fails if two of the nodes are unconnected', () => {
    const lab = drawing(4, [
      [1, 2],
      [3, 4],
    ]);
    expect(() => orderOf(lab, all(lab))).toThrow('no route from n2 to n3');
  });
});
