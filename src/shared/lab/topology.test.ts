import { describe, expect, it } from 'vitest';
import { withoutLinks } from './links-down.ts';
import { topologyOf, unreachablePair, type Hop } from './topology.ts';
import { chain, drawing, ring, star, type DrawnLink } from './topology.fixture.ts';
import { fastest } from '../testing/fastest.ts';

const way = (hops: readonly Hop[] | undefined): string | undefined =>
  hops?.map(({ linkId, from, to }) => `${from} ${linkId} ${to}`).join(', ');

describe('routes', () => {
  it('go over intermediate nodes, each hop with its link and direction', () => {
    const topology = topologyOf(chain(3));
    expect(way(topology.route('n1', 'n3'))).toBe('n1 l1 n2, n2 l2 n3');
    expect(way(topology.route('n3', 'n1'))).toBe('n3 l2 n2, n2 l1 n1');
    expect(topology.route('n2', 'n2')).toEqual([]);
  });

  it('do not lead to or from a node that is not drawn', () => {
    const topology = topologyOf(chain(2));
    expect(topology.route('n1', 'gone')).toBeUndefined();
    expect(topology.route('gone', 'n1')).toBeUndefined();
    expect(topology.nextHops('gone').size).toBe(0);
    expect(topology.neighbours('gone')).toEqual([]);
  });

  it('go through a switch, which does not train', () => {
    const topology = topologyOf(
      drawing(
        4,
        [
          [1, 4],
          [2, 4],
          [3, 4],
        ],
        ['cpu', 'gpu', 'cpu', 'switch'],
      ),
    );
    expect(way(topology.route('n1', 'n3'))).toBe('n1 l1 n4, n4 l3 n3');
  });

  it('keep away from the slowest link of a cycle of switches, which carries nothing, until it is needed', () => {
    const lab = drawing(
      5,
      [
        [1, 3, 100],
        [2, 4, 100],
        [3, 4, 1],
        [4, 5, 100],
        [5, 3, 100],
      ],
      ['cpu', 'cpu', 'switch', 'switch', 'switch'],
    );
    expect(way(topologyOf(lab).route('n1', 'n2'))).toBe('n1 l1 n3, n3 l5 n5, n5 l4 n4, n4 l2 n2');
    const left = topologyOf(withoutLinks(lab, new Set(['l5'])));
    expect(way(left.route('n1', 'n2'))).toBe('n1 l1 n3, n3 l3 n4, n4 l2 n2');
  });

  it('prefer fewer hops to more bandwidth, and among equal hops more bandwidth', () => {
    const square: DrawnLink[] = [
      [1, 2, 1000],
      [2, 4, 1000],
      [1, 3, 10],
      [3, 4, 10],
    ];
    expect(way(topologyOf(drawing(4, square)).route('n1', 'n4'))).toBe('n1 l1 n2, n2 l2 n4');
    expect(way(topologyOf(drawing(4, [...square].reverse())).route('n1', 'n4'))).toBe('n1 l4 n2, n2 l3 n4');
    expect(way(topologyOf(drawing(4, [...square, [1, 4, 1]])).route('n1', 'n4'))).toBe('n1 l5 n4');
  });

  it('are undefined if unreachable; links to missing nodes or to themselves are ignored', () => {
    const topology = topologyOf(
      drawing(4, [
        [1, 2],
        [3, 4],
        [1, 1],
        [2, 9],
      ]),
    );
    expect(topology.route('n1', 'n3')).toBeUndefined();
    expect(topology.groups()).toEqual([
      ['n1', 'n2'],
      ['n3', 'n4'],
    ]);
    expect(unreachablePair(topology, ['n1', 'n2', 'n4'])).toEqual(['n1', 'n4']);
    expect(unreachablePair(topology, ['n1', 'n2'])).toBeUndefined();
  });

  it('are equal in both directions and along every node’s table, in a mesh with many ties', () => {
    const side = 6;
    const links: DrawnLink[] = [];
    for (let row = 0; row < side; row += 1)
      for (let column = 0; column < side; column += 1) {
        const here = row * side + column + 1;
        if (column < side - 1) links.push([here, here + 1]);
        if (row < side - 1) links.push([here, here + side]);
      }
    const topology = topologyOf(drawing(side * side, links));
    const tables = new Map(topology.nodeIds.map((id) => [id, topology.nextHops(id)]));
    for (const from of topology.nodeIds) {
      expect(tables.get(from)!.size).toBe(side * side - 1);
      for (const to of topology.nodeIds) {
        const route = topology.route(from, to)!;
        const back = topology.route(to, from)!;
        expect(back.map(({ linkId }) => linkId).reverse()).toEqual(route.map(({ linkId }) => linkId));
        const followed: Hop[] = [];
        for (let at = from; at !== to; at = followed[followed.length - 1]!.to)
          followed.push(tables.get(at)!.get(to)!);
        expect(followed).toEqual(route);
      }
    }
  });

  it('do not depend on when they are requested', () => {
    const lab = ring(8);
    const once = way(topologyOf(lab).route('n1', 'n5'));
    expect(way(topologyOf(lab).route('n1', 'n5'))).toBe(once);
  });

  it('are found for 500 nodes within milliseconds', () => {
    for (const lab of [chain(500), ring(500), star(500)]) {
      const routes = (): void => {
        const topology = topologyOf(lab);
        topology.nodeIds.forEach((id, index) => topology.route(id, topology.nodeIds[(index + 1) % 500]!));
        expect(unreachablePair(topology, topology.nodeIds)).toBeUndefined();
      };
      expect(fastest(routes)).toBeLessThan(1000);
    }
  });
});
