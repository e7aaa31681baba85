/** Which ranks send to which over which drawn links in one exchange. */
import { processesOn } from '../lab/lab-check.ts';
import type { LabDocument } from '../lab/lab.ts';
import { ringOrder } from './ring-order.ts';
import { topologyOf, unreachablePair, type Hop, type Topology } from '../lab/topology.ts';

export type EstimateProblem =
  | { readonly code: 'nothing_to_train' }
  | { readonly code: 'unknown_architecture'; readonly architecture: string }
  | { readonly code: 'unknown_sync'; readonly sync: string }
  /** By name. */
  | { readonly code: 'unreachable'; readonly from: string; readonly to: string };

/** An Ethernet frame of 1514 bytes carries 1448 of TCP's; every second one is answered by 66 bytes. */
const dataOverhead = 1514 / 1448;
const answerOverhead = 66 / (2 * 1448);

/** A link's load by flows there and back: what they send, and what the answers to the others take. */
export const loadOf = (there: number, back: number): number => there * dataOverhead + back * answerOverhead;

interface Flow {
  readonly hops: readonly Hop[];
  /** Flows of ring neighbours over it, and flows of other pairs of ranks. */
  readonly ring: number;
  readonly pairs: number;
}
export interface Network {
  readonly drawn: boolean;
  readonly order: readonly string[];
  readonly links: readonly DirectedLink[];
  /** The largest delay between two neighbours of the ring, seconds. */
  readonly delay: number;
}
/** A link in one direction, with the flows that use it. */
export interface DirectedLink {
  readonly linkId: string;
  readonly ends: readonly [string, string];
  readonly bytesPerSecond: number;
  readonly ring: number;
  readonly pairs: number;
}

export function networkOf(lab: LabDocument, nodeIds: readonly string[]): Network | EstimateProblem {
  const none = { drawn: false, order: nodeIds, links: [], delay: 0 };
  if (nodeIds.length < 2 || lab.links.length === 0) return none;
  const topology = topologyOf(lab);
  const names = new Map(lab.nodes.map(({ id, name }) => [id, name]));
  const apart = unreachablePair(topology, nodeIds);
  if (apart !== undefined) {
    const [from, to] = apart.map((id) => names.get(id) ?? id);
    return { code: 'unreachable', from: from ?? '', to: to ?? '' };
  }
  const order = ringOrder(topology, lab.links, nodeIds);
  const delays = new Map(lab.links.map(({ id, delayMs }) => [id, delayMs / 1000]));
  const flows = flowsOf(lab, topology, order);
  const passing = new Map<string, { ring: number; pairs: number }>();
  const way = ({ linkId, from }: Pick<Hop, 'linkId' | 'from'>): string => `${linkId} ${from}`;
  let delay = 0;
  for (const { hops, ring, pairs } of flows) {
    let along = 0;
    for (const hop of hops) {
      const before = passing.get(way(hop)) ?? { ring: 0, pairs: 0 };
      passing.set(way(hop), { ring: before.ring + ring, pairs: before.pairs + pairs });
      along += delays.get(hop.linkId) ?? 0;
    }
    if (ring > 0) delay = Math.max(delay, along);
  }
  const links = lab.links.flatMap(({ id, ends, bandwidthMbps }) =>
    ends.map((from, index): DirectedLink => {
      const there = passing.get(way({ linkId: id, from })) ?? { ring: 0, pairs: 0 };
      const back = passing.get(way({ linkId: id, from: ends[1 - index] ?? from })) ?? { ring: 0, pairs: 0 };
      return {
        linkId: id,
        ends: [names.get(ends[0]) ?? '', names.get(ends[1]) ?? ''],
        bytesPerSecond: bandwidthMbps * 125_000,
        ring: loadOf(there.ring, back.ring),
        pairs: loadOf(there.pairs, back.pairs),
      };
    }),
  );
  return { drawn: true, order, links, delay };
}

/** Above this many nodes the flows of all pairs are estimated from those of the ring. */
const maxPairs = 64;

function flowsOf(lab: LabDocument, topology: Topology, order: readonly string[]): Flow[] {
  const nodes = new Map(lab.nodes.map((node) => [node.id, node]));
  const processes = (id: string): number => {
    const node = nodes.get(id);
    return node === undefined ? 0 : processesOn(lab, node);
  };
  const hops = (from: string, to: string): readonly Hop[] => topology.route(from, to) ?? [];
  const pairsToo = order.length <= maxPairs;
  const ring = order.map((from, index): Flow => {
    const to = order[index + 1] ?? order[0] ?? from;
    return { hops: hops(from, to), ring: 1, pairs: pairsToo ? 0 : order.length / 2 };
  });
  if (!pairsToo) return ring;
  const pairs = order.flatMap((from) =>
    order
      .filter((to) => to !== from)
      .map((to): Flow => ({ hops: hops(from, to), ring: 0, pairs: processes(from) * processes(to) })),
  );
  return [...ring, ...pairs];
}
