/** Which ranks send to which over which drawn links in one exchange. */
import { processesOn } from '../lab/lab-check.ts';
import type { LabDocument } from '../lab/lab.ts';
import { pairFlows } from './pair-flows.ts';
import { ringOrder } from './ring-order.ts';
import { topologyOf, unreachablePair, type Hop } from '../lab/topology.ts';

export type EstimateProblem =
  | { readonly code: 'nothing_to_train' }
  | { readonly code: 'unknown_architecture'; readonly architecture: string }
  | { readonly code: 'unknown_sync'; readonly sync: string }
  /** By name. */
  | { readonly code: 'unreachable'; readonly from: string; readonly to: string };

/** Up to so many ranks a step's flags go directly to each other rank: the trainer's kDirectRanks (native/comm/collectives/collectives.cpp). */
export const directRanks = 64;
/** Each node has a rank at least. */
const directNodes = directRanks;

/** An Ethernet frame of 1514 bytes carries 1448 of TCP's; every second one is answered by 66 bytes. */
const dataOverhead = 1514 / 1448;
const answerOverhead = 66 / (2 * 1448);

/** A link's load by flows there and back: what they send, and what the answers to the others take. */
export const loadOf = (there: number, back: number): number => there * dataOverhead + back * answerOverhead;

export interface Network {
  readonly drawn: boolean;
  readonly order: readonly string[];
  readonly links: readonly DirectedLink[];
  /** The largest delay between two neighbours of the ring, seconds. */
  readonly delay: number;
  /** The same between any two nodes; above `directNodes` of them that of the ring's neighbours. */
  readonly farthest: number;
}
/** A link in one direction, with the flows of ring neighbours, and of all pairs of ranks, that use it. */
export interface DirectedLink {
  readonly linkId: string;
  readonly ends: readonly [string, string];
  readonly bytesPerSecond: number;
  readonly ring: number;
  readonly pairs: number;
}

/** @param ranks whether the nodes' ranks are in the best order for the ring, or in the given one, as those of scripts are */
export function networkOf(
  lab: LabDocument,
  nodeIds: readonly string[],
  ranks: 'best' | 'given' = 'best',
): Network | EstimateProblem {
  const none = { drawn: false, order: nodeIds, links: [], delay: 0, farthest: 0 };
  if (nodeIds.length < 2 || lab.links.length === 0) return none;
  const topology = topologyOf(lab);
  const names = new Map(lab.nodes.map(({ id, name }) => [id, name]));
  const apart = unreachablePair(topology, nodeIds);
  if (apart !== undefined) {
    const [from, to] = apart.map((id) => names.get(id) ?? id);
    return { code: 'unreachable', from: from ?? '', to: to ?? '' };
  }
  const order = ranks === 'best' ? ringOrder(topology, lab.links, nodeIds) : nodeIds;
  const delays = new Map(lab.links.map(({ id, delayMs }) => [id, delayMs / 1000]));
  const passing = new Map<string, { ring: number; pairs: number }>();
  const way = ({ linkId, from }: Pick<Hop, 'linkId' | 'from'>): string => `${linkId} ${from}`;
  const pass = (hop: Hop, flows: { readonly ring: number; readonly pairs: number }): void => {
    const before = passing.get(way(hop)) ?? { ring: 0, pairs: 0 };
    passing.set(way(hop), { ring: before.ring + flows.ring, pairs: before.pairs + flows.pairs });
  };
  const delayOf = (hops: readonly Hop[]): number =>
    hops.reduce((sum, { linkId }) => sum + (delays.get(linkId) ?? 0), 0);
  let delay = 0;
  for (const [index, from] of order.entries()) {
    const hops = topology.route(from, order[index + 1] ?? order[0] ?? from) ?? [];
    for (const hop of hops) pass(hop, { ring: 1, pairs: 0 });
    delay = Math.max(delay, delayOf(hops));
  }
  let farthest = delay;
  if (delay > 0 && order.length <= directNodes)
    for (const from of order)
      for (const to of order)
        if (from !== to) farthest = Math.max(farthest, delayOf(topology.route(from, to) ?? []));
  for (const [hop, pairs] of pairFlows(topology, processesOf(lab, order))) pass(hop, { ring: 0, pairs });
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
  return { drawn: true, order, links, delay, farthest };
}

function processesOf(lab: LabDocument, order: readonly string[]): ReadonlyMap<string, number> {
  const nodes = new Map(lab.nodes.map((node) => [node.id, node]));
  return new Map(
    order.map((id) => {
      const node = nodes.get(id);
      return [id, node === undefined ? 0 : processesOn(lab, node)];
    }),
  );
}
