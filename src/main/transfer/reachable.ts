/**
 * Which addresses may be reached for somebody else: for a node that this computer's connection is lent to, and for what a
 * node or a lab names as a source. Names are resolved here and the address is pinned, so that a name cannot come to mean
 * another address after it was allowed.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isListed } from './own-proxy.ts';

/**
 * `own`: this computer, by whatever address. `local`: its neighbours: private networks and those that its interfaces are in.
 * `never`: link-local (cloud metadata is among them), multicast, reserved.
 */
export type AddressKind = 'public' | 'own' | 'local' | 'never';

const listOf = (...networks: readonly (readonly [string, number])[]): BlockList => {
  const list = new BlockList();
  for (const [network, bits] of networks)
    list.addSubnet(network, bits, network.includes(':') ? 'ipv6' : 'ipv4');
  return list;
};
const loopback = listOf(['0.0.0.0', 8], ['127.0.0.0', 8], ['::', 127]);
const never = listOf(
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['224.0.0.0', 3],
  ['fe80::', 10],
  ['ff00::', 8],
  // Tunnels that hide another address inside: 6to4, Teredo.
  ['2002::', 16],
  ['2001::', 32],
  ['64:ff9b:1::', 48],
);
const local = listOf(
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // The drawn networks of local nodes.
  ['198.18.0.0', 15],
  ['fc00::', 7],
  ['fec0::', 10],
);

const familyOf = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4');

/** IPv4 that is written as IPv6 (mapped, compatible, translated by NAT64) as what it is; without a zone. */
function plainAddress(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIP(bare) !== 6) return bare;
  // The one form that a URL writes: `::ffff:7f00:1`
  const canonical = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const [, high, low] =
    /^(?:::(?:ffff:(?:0:)?)?|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

type Interfaces = ReturnType<typeof networkInterfaces>;

/** @param interfaces of this computer, as they are now: they change with each VPN */
export function kindOfAddress(written: string, interfaces: Interfaces = networkInterfaces()): AddressKind {
  const address = plainAddress(written);
  if (isIP(address) === 0) return 'never';
  const family = familyOf(address);
  if (loopback.check(address, family)) return 'own';
  const own = Object.values(interfaces).flatMap((list) => list ?? []);
  if (own.some((one) => plainAddress(one.address) === address)) return 'own';
  if (never.check(address, family)) return 'never';
  if (local.check(address, family)) return 'local';
  const isNeighbour = own.some(({ cidr, family: kind }) => {
    const [network = '', bits = ''] = cidr?.split('/') ?? [];
    if (isIP(network) === 0 || kind.toLowerCase() !== family) return false;
    return listOf([network, Number(bits)]).check(address, family);
  });
  return isNeighbour ? 'local' : 'public';
}

/** May this address be reached, that was named as `host`? */
export type ReachRule = (address: string, host: string, port: number) => boolean;

/** Hosts and networks that the user has written on this computer: nothing that a lab or a node says gets in here. */
const userList = (): string => process.env.RINGLAB_LOCAL_HOSTS ?? '';
const isAllowedByUser = (address: string, host: string, port: number): boolean =>
  isListed(host, port, userList()) || isListed(plainAddress(address), port, userList());

/** What serves downloads: 80, 443 and the high ports of mirrors and caches; not mail, SSH, printers or file shares. */
const isWebPort = (port: number): boolean => port === 80 || port === 443 || port >= 1024;

/** For a node: the web, and of the local network what the user has listed; never this computer. */
export const lendable: ReachRule = (address, host, port) => {
  if (!isWebPort(port)) return false;
  const kind = kindOfAddress(address);
  return kind === 'public' || (kind === 'local' && isAllowedByUser(address, host, port));
};

/** For what this computer fetches itself from an address that others have named: a mirror of the user's may be local. */
export const fetchable: ReachRule = (address, host, port) => {
  const kind = kindOfAddress(address);
  return kind === 'public' || (kind !== 'never' && isAllowedByUser(address, host, port));
};

export class AddressRefused extends Error {}

const wordsOf: Readonly<Record<AddressKind, string>> = {
  own: 'is this computer itself',
  local: 'is in this computer’s own network',
  never: 'is no address of the internet',
  public: 'is asked for at a port that is not for downloads',
};

/** The address to connect to. @throws AddressRefused, or what the resolver says */
export async function allowedAddress(host: string, port: number, allows: ReachRule): Promise<string> {
  const found = await lookup(host.replace(/^\[|\]$/g, ''), { all: true });
  const allowed = found.find(({ address }) => allows(address, host, port));
  if (allowed !== undefined) return allowed.address;
  const kind = kindOfAddress(found[0]?.address ?? '');
  throw new AddressRefused(`${host}:${port} ${wordsOf[kind]}`);
}

/**
 * For a name that a proxy of this computer resolves: it may be the only one that can. What is known here to be out of bounds
 * is not asked of it.
 */
export async function allowedName(host: string, port: number, allows: ReachRule): Promise<string> {
  const found = await lookup(host.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  if (found.length > 0) await allowedAddress(host, port, allows);
  return host;
}

/** For a request of Node's: the name means this address and no other. */
export const pinned =
  (address: string): LookupFunction =>
  (_host, options, done) => {
    const family = isIP(address);
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
