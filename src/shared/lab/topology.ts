/**
 * The drawn nodes and links as a graph: routes over intermediate nodes, and which nodes cannot reach each other.
 * Pure. A route is the shortest by hops, then by bandwidth (minimum sum of 1/bandwidth, as OSPF's cost), then by a
 * number of each link. Therefore the best route of a pair is unique and symmetric, and each of its nodes forwards to
 * the same next hop: routing tables made from `nextHops` give exactly the result of `route`.
 */
import type { LabDocument } from './lab.ts';

export type DrawnNetwork = Pick<LabDocument, 'nodes' | 'links'>;

/** One link crossed in one direction. */
export interface Hop {
  readonly linkId: string;
  readonly from: string;
  readonly to: string;
}

export interface Topology {
  /** In document order. */
  readonly nodeIds: readonly string[];
  /**
   * The route between two nodes; empty from a node to itself, undefined where there is none, or one of them is not
   * drawn: a measurement or a run may know nodes that were deleted since.
   */
  route(from: string, to: string): readonly Hop[] | undefined;
  /** By destination: the first hop from a node to each node that it can reach. */
  nextHops(from: string): ReadonlyMap<string, Hop>;
  /** The last hop of the route from a node to each node that it can reach, the nearest first: `from` lies on the way. */
  lastHops(from: string): readonly Hop[];
  /** Ids of the nodes linked to this one, in document order of the links. */
  neighbours(id: string): readonly string[];
  /** The connected components, each in document order. */
  groups(): readonly (readonly string[])[];
}

interface Vertex {
  readonly id: string;
  readonly index: number;
  readonly edges: Edge[];
}
interface Edge {
  readonly linkId: string;
  readonly to: Vertex;
  readonly cost: number;
  readonly tie: number;
}
/** The best route to a vertex found so far; `last` is its last hop. */
interface Reached {
  readonly hops: number;
  readonly cost: number;
  readonly tie: number;
  readonly last?: { readonly from: Vertex; readonly edge: Edge };
}

/**
 * Links with a missing end, or from a node to itself, are skipped: `checkLab` reports them; so are blocked ones. Construction
 * sorts the links; a route O(the vertices nearer than its end); `nextHops` and `lastHops` O(nodes + links).
 */
export function topologyOf(lab: DrawnNetwork): Topology {
  const vertices = new Map<string, Vertex>();
  const { blocked } = switchGroups(lab);
  for (const { id } of lab.nodes) vertices.set(id, { id, index: vertices.size, edges: [] });
  lab.links.forEach(({ id, ends, bandwidthMbps }, index) => {
    const a = vertices.get(ends[0]);
    const b = vertices.get(ends[1]);
    if (a === undefined || b === undefined || a === b || blocked.has(id)) return;
    const shared = { linkId: id, cost: 1 / bandwidthMbps, tie: scattered(index) };
    a.edges.push({ ...shared, to: b });
    b.edges.push({ ...shared, to: a });
  });
  return {
    nodeIds: [...vertices.keys()],
    route(from, to) {
      const [start, goal] = [vertices.get(from), vertices.get(to)];
      if (start === undefined || goal === undefined) return undefined;
      if (start === goal) return [];
      const reached = search(start, goal);
      const hops: Hop[] = [];
      for (let last = reached.get(goal)?.last; last !== undefined; last = reached.get(last.from)?.last)
        hops.push(hopOver(last.from, last.edge));
      return hops.length === 0 ? undefined : hops.reverse();
    },
    nextHops(from) {
      const start = vertices.get(from);
      const first = new Map<string, Hop>();
      if (start === undefined) return first;
      // Nearer vertices come first, so that the hop before a node is already known.
      for (const [vertex, { last }] of search(start)) {
        if (last !== undefined) first.set(vertex.id, first.get(last.from.id) ?? hopOver(start, last.edge));
      }
      return first;
    },
    lastHops(from) {
      const start = vertices.get(from);
      if (start === undefined) return [];
      return [...search(start).values()].flatMap(({ last }) =>
        last === undefined ? [] : [hopOver(last.from, last.edge)],
      );
    },
    neighbours: (id) => (vertices.get(id)?.edges ?? []).map((edge) => edge.to.id),
    groups() {
      const seen = new Set<Vertex>();
      const groups: string[][] = [];
      for (const vertex of vertices.values()) {
        if (seen.has(vertex)) continue;
        seen.add(vertex);
        const group = [vertex];
        for (const member of group)
          for (const { to } of member.edges) {
            if (seen.has(to)) continue;
            seen.add(to);
            group.push(to);
          }
        groups.push(group.sort((a, b) => a.index - b.index).map(({ id }) => id));
      }
      return groups;
    },
  };
}

/**
 * Groups of directly connected switches: each is one Ethernet. In a cycle of switches the slowest link is blocked, as
 * spanning tree would do after some seconds: otherwise frames would circulate for ever.
 */
export function switchGroups({ nodes, links }: DrawnNetwork): {
  /** A number of its group for a switch, undefined for other nodes. */
  of(nodeId: string): number | undefined;
  /** Ids of links. */
  readonly blocked: ReadonlySet<string>;
} {
  const leader = new Map(nodes.filter(({ kind }) => kind === 'switch').map(({ id }) => [id, id]));
  const find = (id: string): string => {
    const next = leader.get(id) ?? id;
    return next === id ? id : find(next);
  };
  const blocked = new Set<string>();
  for (const { id, ends } of links.toSorted((a, b) => b.bandwidthMbps - a.bandwidthMbps)) {
    if (!leader.has(ends[0]) || !leader.has(ends[1])) continue;
    const [a, b] = [find(ends[0]), find(ends[1])];
    if (a === b) blocked.add(id);
    else leader.set(a, b);
  }
  const numbers = new Map<string, number>();
  for (const id of leader.keys()) {
    const head = find(id);
    if (!numbers.has(head)) numbers.set(head, numbers.size);
  }
  return { of: (nodeId) => (leader.has(nodeId) ? numbers.get(find(nodeId)) : undefined), blocked };
}

/** Breadth-first search from `start`; the map is in order of distance. Ends when `goal` is next to the newest layer. */
function search(start: Vertex, goal?: Vertex): ReadonlyMap<Vertex, Reached> {
  const reached = new Map<Vertex, Reached>([[start, { hops: 0, cost: 0, tie: 0 }]]);
  let layer = [start];
  for (let hops = 1; layer.length > 0; hops += 1) {
    /** Whether `to` is new. */
    const offer = (from: Vertex, edge: Edge, to: Vertex): boolean => {
      const before = reached.get(from);
      const known = reached.get(to);
      if (before === undefined) return false;
      const found = {
        hops,
        cost: before.cost + edge.cost,
        tie: before.tie + edge.tie,
        last: { from, edge: { ...edge, to } },
      };
      if (known === undefined || (known.hops === hops && isBetter(found, known))) reached.set(to, found);
      return known === undefined;
    };
    if (goal !== undefined) {
      for (const edge of goal.edges) if (reached.get(edge.to)?.hops === hops - 1) offer(edge.to, edge, goal);
      if (reached.has(goal)) return reached;
    }
    const next: Vertex[] = [];
    for (const from of layer)
      for (const edge of from.edges) if (offer(from, edge, edge.to)) next.push(edge.to);
    layer = next;
  }
  return reached;
}

const hopOver = (from: Vertex, edge: Edge): Hop => ({ linkId: edge.linkId, from: from.id, to: edge.to.id });

/**
 * The first of the nodes and one that it cannot reach, to report a partitioned drawing. Undefined where all of them
 * can reach each other. Others (an isolated switch) do not matter.
 */
export function unreachablePair(
  topology: Topology,
  nodeIds: readonly string[],
): readonly [string, string] | undefined {
  const [first] = nodeIds;
  if (first === undefined) return undefined;
  const home = new Set(topology.groups().find((group) => group.includes(first)));
  const other = nodeIds.find((id) => !home.has(id));
  return other === undefined ? undefined : [first, other];
}

function isBetter(a: Reached, b: Reached): boolean {
  // Sums of the same costs in another order differ in their last bits.
  if (Math.abs(a.cost - b.cost) > 1e-9 * Math.max(a.cost, b.cost)) return a.cost < b.cost;
  return a.tie < b.tie;
}

/** A pseudo-random number below 2^32 for each link: sums are exact, and almost never equal for two routes. */
function scattered(index: number): number {
  let hash = Math.imul(index + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae3d);
  return (hash ^ (hash >>> 16)) >>> 0;
}
