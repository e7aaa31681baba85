/**
 * Measures the paths between ring neighbours, beside those to rank 0, which are always tested. A failed path is
 * recorded at its node but does not prevent the run: the trainer reports the missing peer.
 */
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { ringOrder } from '../../../shared/cost/ring-order.ts';
import { topologyOf, unreachablePair } from '../../../shared/lab/topology.ts';
import type { Measurement } from '../../net/index.ts';
import { connect, listen, type Measured } from './listener.ts';
import type { NetworkNode } from './network-node.ts';
import type { NodeShell } from '../node/node-shell.ts';

export interface Pair {
  readonly from: NetworkNode;
  readonly to: NetworkNode;
}

/** Maximum number of measured pairs, to limit the time. */
const maxPairs = 16;

/** Ring neighbours in the order of the run, without rank 0's node: all others have tested that. */
export function ringPairs(lab: LabDocument, nodes: readonly NetworkNode[]): Pair[] {
  const ids = nodes.map(({ node }) => node.id);
  const topology = topologyOf(lab);
  const order = unreachablePair(topology, ids) === undefined ? ringOrder(topology, lab.links, ids) : ids;
  const [, ...others] = order.map((id) => nodes.find(({ node }) => node.id === id));
  const pairs = others.flatMap((to, index) => {
    const from = others[index + 1];
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  return pairs.length > maxPairs ? [] : pairs;
}

export interface MeasureOptions {
  readonly pairs: readonly Pair[];
  readonly shell: (node: NetworkNode) => NodeShell;
  readonly addresses: ReadonlyMap<string, string>;
  readonly port: number;
  /** Pairs without a common node run concurrently. In an emulated network they may share a link. */
  readonly together: boolean;
  readonly onMeasured: (pair: Pair, measured: Measured) => void;
}

export async function measurePairs(options: MeasureOptions): Promise<Measurement[]> {
  const { pairs, together } = options;
  const isOdd = (_: Pair, index: number): boolean => index % 2 === 1;
  const rounds = together
    ? [pairs.filter((pair, index) => !isOdd(pair, index)), pairs.filter(isOdd)]
    : pairs.map((pair) => [pair]);
  const found: Measurement[] = [];
  for (const round of rounds) {
    const measured = await Promise.all(round.map((pair) => measurePair(pair, options)));
    found.push(...measured.flatMap((one) => one ?? []));
  }
  return found;
}

async function measurePair(
  pair: Pair,
  { shell, addresses, port, onMeasured }: MeasureOptions,
): Promise<Measurement | undefined> {
  const { from, to } = pair;
  const address = addresses.get(to.node.id);
  if (address === undefined) return undefined;
  const listener = await listen(shell(to), to, [address], port).catch(() => undefined);
  if (listener === undefined) return undefined;
  try {
    const measured = await connect(shell(from), from, address, port, listener.secret);
    if (measured === undefined) return undefined;
    onMeasured(pair, measured);
    return measurement(from, to, measured);
  } finally {
    await listener.stop().catch(() => undefined);
  }
}

/** The slower direction counts. */
export const measurement = (from: NetworkNode, to: NetworkNode, measured: Measured): Measurement => ({
  from: from.node.id,
  to: to.node.id,
  mbps: Math.min(measured.send_bits_per_second, measured.receive_bits_per_second) / 1e6,
  rttMs: measured.rtt_ms,
});
