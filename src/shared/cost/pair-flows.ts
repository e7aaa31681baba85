/** How many flows each link carries where every rank sends to every other one. Pure. */
import type { Hop, Topology } from '../lab/topology.ts';

/** Exact from so many nodes; of more, those that are no part of a tree stand for the rest, since the time grows with both. */
const maxSources = 64;
const maxVisits = 100_000;

/**
 * The flows over each hop; the same hop may come several times.
 * @param processes by node; those nodes can all reach each other
 */
export function* pairFlows(
  topology: Topology,
  processes: ReadonlyMap<string, number>,
): Generator<readonly [Hop, number]> {
  const all = sumOf(processes);
  /** Of each node that is left, with the branches that hang from it. */
  const weights = new Map(processes);
  for (const [hop, branch] of branches(topology)) {
    const inside = weights.get(branch) ?? 0;
    weights.delete(branch);
    if (inside === 0) continue;
    weights.set(hop.from, (weights.get(hop.from) ?? 0) + inside);
    yield [hop, inside * (all - inside)];
    yield [{ linkId: hop.linkId, from: hop.to, to: hop.from }, inside * (all - inside)];
  }
  const sources = spread(weights, Math.min(maxSources, Math.ceil(maxVisits / topology.nodeIds.length)));
  const share = all / sumOf(sources);
  for (const [source, own] of sources) {
    // What a hop carries is for the nodes behind it: the farthest first, each adds its own to the hop before.
    const behind = new Map(weights);
    for (const hop of topology.lastHops(source).toReversed()) {
      const there = behind.get(hop.to) ?? 0;
      if (there === 0) continue;
      behind.set(hop.from, (behind.get(hop.from) ?? 0) + there);
      yield [hop, own * there * share];
    }
  }
}

const sumOf = (weights: ReadonlyMap<string, number>): number =>
  [...weights.values()].reduce((sum, weight) => sum + weight, 0);

/** The outermost first: the hop to each node that only one link connects to those that are then left, and that node. */
function* branches(topology: Topology): Generator<readonly [Hop, string]> {
  const left = new Map(topology.nodeIds.map((id) => [id, topology.neighbours(id).length]));
  const taken = new Set<string>();
  const ends = topology.nodeIds.filter((id) => left.get(id) === 1);
  for (const id of ends) {
    const parent = topology.neighbours(id).find((other) => !taken.has(other));
    const [hop] = (parent === undefined ? undefined : topology.route(parent, id)) ?? [];
    if (parent === undefined || hop === undefined) continue;
    taken.add(id);
    const others = (left.get(parent) ?? 0) - 1;
    left.set(parent, others);
    if (others === 1) ends.push(parent);
    yield [hop, id];
  }
}

/** At most so many of the nodes, at equal distances in their order. */
function spread(weights: ReadonlyMap<string, number>, most: number): ReadonlyMap<string, number> {
  const nodes = [...weights];
  const count = Math.min(most, nodes.length);
  return new Map(
    Array.from({ length: count }, (_, index) => nodes[Math.floor((index * nodes.length) / count)] ?? ['', 0]),
  );
}
