/** Plans addresses, ports and peers of a lab's tunnel. Pure; also parses the nodes' reports of their networks. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../../shared/node/provision.ts';
import { candidateAddresses, candidateV6Addresses, isInner } from '../../node/addresses.ts';
import type { PublicKey } from './names.ts';
import { phrase } from '../../../i18n/index.ts';

/** WireGuard's customary port; IANA has assigned none. */
export const defaultPort = 51_820;
export const maxPortAttempts = 50;
/** More would mean 30,000 peers. */
export const maxMembers = 250;
/** Maximum number of addresses of a node that are tried, the most likely first. */
export const maxCandidates = 5;

/**
 * In blocks of 256 addresses; a later range where the earlier ones are not free, as with a VPN that takes all of 172.16.0.0/12. That of
 * 10.0.0.0/8 is outside of Kubernetes' customary parts, whose services stand in no route.
 */
const ranges = [
  { text: '172.16.0.0/12', first: 0xac_10_00_00, pieces: 4096 },
  { text: '10.160.0.0/11', first: 0x0a_a0_00_00, pieces: 8192 },
  { text: '100.64.0.0/10', first: 0x64_40_00_00, pieces: 16_384 },
] as const;
const lastOf = ({ first, pieces }: (typeof ranges)[number]): number => first + pieces * 256 - 1;

export interface Network {
  readonly first: number;
  readonly last: number;
}

const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');

/** `10.0.0.0/24`, `10.0.0.1`; undefined for anything else. */
export function parseNetwork(text: string): Network | undefined {
  const found = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?$/.exec(text);
  if (found === null) return undefined;
  const parts = found.slice(1, 5).map(Number);
  const bits = Number(found[5] ?? 32);
  if (parts.some((part) => part > 255) || bits > 32) return undefined;
  const value = parts.reduce((sum, part) => sum * 256 + part, 0);
  const size = 2 ** (32 - bits);
  const first = Math.floor(value / size) * size;
  return { first, last: first + size - 1 };
}

const maxRoutes = 20_000;

/** What `lookScript` printed: a node's networks and UDP ports in use. */
export interface NodeNetworks {
  readonly networks: readonly Network[];
  readonly ports: ReadonlySet<number>;
  /** Of this lab's interface. */
  readonly addresses: readonly Network[];
  /** The port on which this lab's interface already listens. */
  readonly own: number | undefined;
  /** A rank uses this lab's interface. */
  readonly busy: boolean;
}

export function parseNetworks(output: string): NodeNetworks {
  const networks: Network[] = [];
  const addresses: Network[] = [];
  const ports = new Set<number>();
  let own: number | undefined;
  let busy = false;
  for (const line of output.split('\n').slice(0, maxRoutes)) {
    const [word = '', value = ''] = line.split(' ');
    const network = parseNetwork(value);
    if (word === 'at' && network !== undefined) addresses.push(network);
    else if (word === 'net') {
      // A default route, or an equivalent, is not one of the node's networks.
      if (network !== undefined && network.last - network.first < 2 ** 24) networks.push(network);
    } else if (word === 'udp' && /^[0-9A-F]{1,4}$/.test(value)) ports.add(Number.parseInt(value, 16));
    else if (word === 'own' && /^\d{1,5}$/.test(value)) own = Number(value);
    else if (word === 'busy') busy = true;
  }
  return { networks, addresses, ports, own, busy };
}

const isFree = (piece: number, networks: readonly Network[]): boolean =>
  !networks.some((network) => network.first <= piece + 255 && network.last >= piece);

/** The first block of 256 addresses outside all nodes' networks. Deterministic for a lab and these networks. */
export function choosePiece(labId: string, networks: readonly Network[]): number | undefined {
  const start = Number.parseInt(createHash('sha256').update(labId).digest('hex').slice(0, 8), 16);
  for (const range of ranges) {
    const near = networks.filter(({ first, last }) => first <= lastOf(range) && last >= range.first);
    for (let tried = 0; tried < range.pieces; tried += 1) {
      const first = range.first + ((start + tried) % range.pieces) * 256;
      if (isFree(first, near)) return first;
    }
  }
  return undefined;
}

/** Names the node with the largest network in the way. */
function noBlock(nodes: readonly NamedNetworks[]): RinglabError {
  const inTheWay = nodes.flatMap(({ name, networks }) =>
    networks
      .filter((network) =>
        ranges.some((range) => network.first <= lastOf(range) && network.last >= range.first),
      )
      .map(({ first, last }) => ({ name, first, size: last - first + 1 })),
  );
  const largest = inTheWay.reduce((most, one) => (one.size > most.size ? one : most), {
    ...{ name: '', first: 0, size: 0 },
  });
  const reason = phrase('reasons.tunnel.noBlock', {
    ranges: ranges.map(({ text }) => text).join(', '),
    node: largest.name,
    network: `${dotted(largest.first)}/${32 - Math.log2(largest.size)}`,
  });
  return new RinglabError('tunnel_unavailable', { reason }, { where: largest.name });
}

/** The block of an address; undefined where it is in none of ours. */
function pieceOf({ first }: Network): number | undefined {
  const isOurs = ranges.some((range) => first >= range.first && first <= lastOf(range));
  return isOurs ? first - (first % 256) : undefined;
}

type NamedNetworks = NodeNetworks & { readonly name: string };

/**
 * The block that the lab's interfaces have, as others of the lab, which are not prepared now, may be training at its addresses;
 * another one where a network of these nodes overlaps it. While a rank uses the tunnel such a network is no reason to move on nodes that
 * are in the block already: the rank would lose its connections. Only on those, so that no node can impose its block on others.
 * @throws tunnel_unavailable
 */
export function pieceFor(labId: string, nodes: readonly NamedNetworks[]): number {
  const used = nodes.filter(({ busy }) => busy);
  const canStay = (piece: number, { networks, addresses }: NodeNetworks): boolean =>
    isFree(piece, networks) || (used.length > 0 && addresses.some((address) => pieceOf(address) === piece));
  const standing = [...used, ...nodes].flatMap(({ addresses }) =>
    addresses.flatMap((address) => pieceOf(address) ?? []),
  );
  const piece =
    standing.find((one) => nodes.every((node) => canStay(one, node))) ??
    choosePiece(
      labId,
      nodes.flatMap(({ networks }) => networks),
    );
  if (piece === undefined) throw noBlock(nodes);
  return piece;
}

/** The address of the `index`th of the lab's nodes, from 0. */
export const addressIn = (piece: number, index: number): string => dotted(piece + index + 1);

export function choosePort({ ports, own }: Pick<NodeNetworks, 'ports' | 'own'>): number | undefined {
  if (own !== undefined && own > 0) return own;
  for (let port = defaultPort; port < defaultPort + maxPortAttempts; port += 1)
    if (!ports.has(port)) return port;
  return undefined;
}

/** Bridges, and tunnels of others: they may lead to the other node, but rarely do. */
const isLate = (entry: NodeFacts['addresses'][number]): boolean =>
  isInner(entry) || entry.interface.startsWith('wg');

/**
 * Candidate endpoints of a node's UDP port, the most likely first: IPv4 addresses of its interfaces, bridges last; IPv6 where both
 * have it; the address that SSH connects to, for a port forwarded by NAT.
 * @param reachedAt numeric addresses that SSH connects to
 */
export function endpointsOf(
  facts: NodeFacts,
  sshHost: string,
  reachedAt: readonly string[],
  other: NodeFacts,
): string[] {
  // What the other has itself, as the address of a bridge that every machine has, leads it to itself.
  const theirs = new Set(other.addresses.map(({ address }) => address));
  const isOthers = (address: string): boolean => theirs.has(address);
  const late = new Set(
    facts.addresses.flatMap((entry) => (isLate(entry) && entry.address !== sshHost ? [entry.address] : [])),
  );
  const v4 = candidateAddresses(facts, sshHost, [other]).filter((address) => !isOthers(address));
  const v6 = candidateV6Addresses(facts, other).filter((address) => !isOthers(address));
  /** Two of them. */
  const likely = (found: readonly string[]): string[] =>
    [...found.filter((address) => !late.has(address)), ...found.filter((address) => late.has(address))].slice(
      0,
      2,
    );
  const outside = reachedAt.filter((address) => !/^(?:127\.|::1$|0\.|::$)/.test(address));
  const found = [...likely(v4), ...likely(v6), ...outside.filter((address) => !isOthers(address))];
  return [...new Set(found)].slice(0, maxCandidates);
}

export interface TunnelPeer {
  readonly publicKey: PublicKey;
  /** The only address that it may send from. */
  readonly address: string;
  /** The endpoint to try; undefined for a peer that must initiate the connection. */
  readonly endpoint: string | undefined;
  readonly port: number;
}

/** For every peer: NAT and stateful firewalls, those of a provider too, forget a connection that is idle for longer, and then let in nothing. */
export const keepaliveSeconds = 25;

export const endpointText = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/**
 * Input of `wg syncconf`; the private key is added on the node. It has no endpoints, so that a peer keeps the one at which it was
 * met: `handshakeScript` sets them.
 */
export const peersText = (peers: readonly TunnelPeer[]): string =>
  peers
    .map(({ publicKey, address }) =>
      [
        '[Peer]',
        `PublicKey = ${publicKey}`,
        `AllowedIPs = ${address}/32`,
        `PersistentKeepalive = ${keepaliveSeconds}`,
        '',
      ].join('\n'),
    )
    .join('\n');

/** What `handshakeScript` printed. */
export interface Heard {
  /** Peers with a session. */
  readonly sessions: ReadonlySet<string>;
  /** Peers from which any authenticated packet arrived. */
  readonly received: ReadonlySet<string>;
}

const HandshakeLine = z.tuple([
  z.enum(['handshake', 'received']),
  z.string().max(44),
  z.string().regex(/^\d{1,20}$/),
]);

export function parseHeard(output: string): Heard {
  const sessions = new Set<string>();
  const received = new Set<string>();
  for (const line of output.split('\n').slice(0, 4 * maxMembers)) {
    const parsed = HandshakeLine.safeParse(line.split(' '));
    if (!parsed.success) continue;
    const [word, key, number] = parsed.data;
    if (Number(number) > 0) (word === 'handshake' ? sessions : received).add(key);
  }
  return { sessions, received };
}
