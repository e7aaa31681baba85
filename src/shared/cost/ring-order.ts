/**
 * Chooses the order of nodes in the all-reduce ring: minimise the load of the slowest link, then the number of links
 * crossed. Pure. The first node stays first, since the lab decides where rank 0 is.
 */
import type { LabLink } from '../lab/lab.ts';
import type { Hop, Topology } from '../lab/topology.ts';

/** Up to here every order is tried (2520 for eight nodes); above, walks of spanning trees, improved by reversals. */
const exactNodes = 8;
/** Above this many nodes a walk is not improved: the time grows with the square of the nodes. */
const improvedNodes = 96;

/** The load that an order puts on the links. */
export interface RingLoad {
  /** Number of crossings by link id and source node: `load.get('l1')?.get('n1')` counts those that leave n1. */
  readonly crossings: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The maximum over all links of crossings in one direction divided by bandwidth. */
  readonly slowest: number;
  readonly hops: number;
}

/** @throws RangeError where two neighbours in the ring cannot reach each other: check with `unreachablePair` first */
export function ringLoad(topology: Topology, links: readonly LabLink[], order: readonly string[]): RingLoad {
  return loadOf(routesBetween(topology), bandwidths(links), order);
}

/**
 * The nodes in the order of their ranks. Of equally good orders the given one, else the one nearest to it.
 * @param nodeIds the nodes that train, in document order; all can reach each other
 */
export function ringOrder(
  topology: Topology,
  links: readonly LabLink[],
  nodeIds: readonly string[],
): readonly string[] {
  if (nodeIds.length < 4) return nodeIds;
  const routes = routesBetween(topology);
  const widths = bandwidths(links);
  const load = (order: readonly string[]): RingLoad => loadOf(routes, widths, order);
  const orders =
    nodeIds.length <= exactNodes
      ? allOrders(nodeIds)
      : [nodeIds, depthFirst(topology, nodeIds, 'deep'), depthFirst(topology, nodeIds, 'wide')];
  let best = nodeIds;
  let bestLoad = load(nodeIds);
  for (const order of orders) {
    const found = load(order);
    if (isLighter(found, bestLoad)) [best, bestLoad] = [order, found];
  }
  return nodeIds.length > exactNodes && nodeIds.length <= improvedNodes
    ? withoutDetours(best, routes, load)
    : best;
}

const isLighter = (a: RingLoad, b: RingLoad): boolean =>
  Math.abs(a.slowest - b.slowest) > 1e-9 * b.slowest ? a.slowest < b.slowest : a.hops < b.hops;

const bandwidths = (links: readonly LabLink[]): ReadonlyMap<string, number> =>
  new Map(links.map(({ id, bandwidthMbps }) => [id, bandwidthMbps]));

type Routes = (from: string, to: string) => readonly Hop[];

function routesBetween(topology: Topology): Routes {
  const known = new Map<string, Map<string, readonly Hop[]>>();
  return (from, to) => {
    const ofNode = known.get(from) ?? new Map<string, readonly Hop[]>();
    known.set(from, ofNode);
    let route = ofNode.get(to);
    if (route === undefined) {
      route = topology.route(from, to);
      if (route === undefined) throw new RangeError(`no route from ${from} to ${to}`);
      ofNode.set(to, route);
    }
    return route;
  };
}

function loadOf(routes: Routes, widths: ReadonlyMap<string, number>, order: readonly string[]): RingLoad {
  const crossings = new Map<string, Map<string, number>>();
  let slowest = 0;
  let hops = 0;
  order.forEach((from, index) => {
    for (const hop of routes(from, order[index + 1] ?? order[0] ?? from)) {
      const ofLink = crossings.get(hop.linkId) ?? new Map<string, number>();
      const count = (ofLink.get(hop.from) ?? 0) + 1;
      crossings.set(hop.linkId, ofLink.set(hop.from, count));
      slowest = Math.max(slowest, count / (widths.get(hop.linkId) ?? 1));
      hops += 1;
    }
  });
  return { crossings, slowest, hops };
}

/** All rings from the first node, each in one direction only, the smallest changes first. */
function* allOrders([first, ...rest]: readonly string[]): Generator<readonly string[]> {
  if (first === undefined) return;
  for (const order of permutations(rest)) {
    // Routes are symmetric: a reversed ring puts the same load on the links.
    const [second = first, last = first] = [order[0], order[order.length - 1]];
    if (rest.indexOf(second) <= rest.indexOf(last)) yield [first, ...order];
  }
}

function* permutations(ids: readonly string[]): Generator<readonly string[]> {
  if (ids.length <= 1) yield ids;
  else
    for (const id of ids)
      for (const rest of permutations(ids.filter((other) => other !== id))) yield [id, ...rest];
}

/**
 * Walks a spanning tree depth first: each of its links is crossed once in each direction, the minimum on a tree.
 * 'deep' follows paths as far as possible (rings, meshes); 'wide' stays near the first node (stars, trees).
 */
function depthFirst(topology: Topology, nodeIds: readonly string[], shape: 'deep' | 'wide'): string[] {
  const wanted = new Set(nodeIds);
  const stack = nodeIds.slice(0, 1);
  const children = shape === 'wide' ? breadthFirstTree(topology, stack) : undefined;
  const seen = new Set<string>();
  const order: string[] = [];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (wanted.has(id)) order.push(id);
    const next = children?.get(id) ?? topology.neighbours(id);
    for (const neighbour of [...next].reverse()) if (!seen.has(neighbour)) stack.push(neighbour);
  }
  return order;
}

function breadthFirstTree(
  topology: Topology,
  root: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>(root.map((id) => [id, []]));
  for (const [id, ofNode] of children) {
    for (const neighbour of topology.neighbours(id)) {
      if (children.has(neighbour)) continue;
      children.set(neighbour, []);
      ofNode.push(neighbour);
    }
  }
  return children;
}

/** 2-opt: reverses parts of the ring while that shortens it and does not increase the load of the slowest link. */
function withoutDetours(
  start: readonly string[],
  routes: Routes,
  load: (order: readonly string[]) => RingLoad,
): readonly string[] {
  let best = start;
  let bestLoad = load(start);
  for (let improved = true; improved;) {
    improved = false;
    for (let from = 1; from < best.length - 1; from += 1)
      for (let to = from + 1; to < best.length; to += 1) {
        if (gainOfTurning(best, from, to, routes) <= 0) continue;
        const turned = [...best.slice(0, from), ...best.slice(from, to + 1).reverse(), ...best.slice(to + 1)];
        const found = load(turned);
        if (!isLighter(found, bestLoad)) continue;
        [best, bestLoad] = [turned, found];
        improved = true;
      }
  }
  return best;
}

/** The hops saved by reversing the nodes `from` to `to` of the ring. */
function gainOfTurning(order: readonly string[], from: number, to: number, routes: Routes): number {
  const [before, first, last] = [order[from - 1], order[from], order[to]];
  const after = order[to + 1] ?? order[0];
  if (before === undefined || first === undefined || last === undefined || after === undefined) return 0;
  return (
    routes(before, first).length +
    routes(last, after).length -
    routes(before, last).length -
    routes(first, after).length
  );
}
