/**
 * Decides which addresses may be reached on behalf of others: nodes with a lent connection, and sources named by
 * nodes or labs. Names are resolved here and the address is pinned, against DNS rebinding.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isListed } from '../base/proxy-variables.ts';
import { phrase } from '../i18n/index.ts';
import { WordedError } from '../base/reason.ts';

/**
 * `own`: this computer. `local`: private networks and those of its interfaces. `never`: link-local (including cloud
 * metadata), multicast, reserved.
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
  // Tunnels with an embedded address: 6to4, Teredo.
  ['2002::', 16],
  ['2001::', 32],
  ['64:ff9b:1::', 48],
);
const local = listOf(
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // The emulated networks of local nodes.
  ['198.18.0.0', 15],
  ['fc00::', 7],
  ['fec0::', 10],
);

const familyOf = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4');

/** Converts IPv4 addresses written as IPv6 (mapped, compatible, NAT64); removes the zone. */
function plainAddress(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIP(bare) !== 6) return bare;
  // The canonical form in a URL: `::ffff:7f00:1`
  const canonical = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const [, high, low] =
    /^(?:::(?:ffff:(?:0:)?)?|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

type Interfaces = ReturnType<typeof networkInterfaces>;

/** @param interfaces of this computer at this moment: they change with each VPN */
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

/** Whether this address may be reached under the name `host`. */
export type ReachRule = (address: string, host: string, port: number) => boolean;

/** Hosts and networks listed by the user of this computer: not affected by labs or nodes. */
const userList = (): string => process.env.RINGLAB_LOCAL_HOSTS ?? '';
const isAllowedByUser = (address: string, host: string, port: number): boolean =>
  isListed(host, port, userList()) || isListed(plainAddress(address), port, userList());

/** Ports of download servers: 80, 443 and high ports; not mail, SSH, printers or file shares. */
const isWebPort = (port: number): boolean => port === 80 || port === 443 || port >= 1024;

/** For a node: the web, and addresses of the local network listed by the user; never this computer. */
export const lendable: ReachRule = (address, host, port) => {
  if (!isWebPort(port)) return false;
  const kind = kindOfAddress(address);
  return kind === 'public' || (kind === 'local' && isAllowedByUser(address, host, port));
};

/** For this computer's downloads from addresses named by others: a user's own mirror may be local. */
export const fetchable: ReachRule = (address, host, port) => {
  const kind = kindOfAddress(address);
  return kind === 'public' || (kind !== 'never' && isAllowedByUser(address, host, port));
};

export class AddressRefused extends WordedError {}

/** Without the brackets that IPv6 has in addresses of pages. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '');

/** The addresses to connect to, one after the other. @throws AddressRefused, or the resolver's error */
export async function allowedAddresses(
  host: string,
  port: number,
  allows: ReachRule,
): Promise<readonly string[]> {
  const found = await lookup(bareHost(host), { all: true });
  const allowed = found.filter(({ address }) => allows(address, host, port));
  if (allowed.length > 0) return allowed.map(({ address }) => address);
  const kind = kindOfAddress(found[0]?.address ?? '');
  throw new AddressRefused(phrase(`reasons.address.${kind}`, { place: `${host}:${port}` }));
}

/**
 * For a name that this computer's proxy resolves, because it may be the only one that can. Names known here to be
 * forbidden are refused.
 */
export async function allowedName(host: string, port: number, allows: ReachRule): Promise<string> {
  const found = await lookup(bareHost(host), { all: true }).catch(() => []);
  if (found.length > 0) await allowedAddresses(host, port, allows);
  return host;
}

/**
 * For a connection of Node's: pins the name to these addresses, which are tried one after the other. A link on which an answer
 * takes long has the time for it at each.
 */
export const pinned = (
  addresses: readonly string[],
): {
  readonly lookup: LookupFunction;
  readonly autoSelectFamily: true;
  readonly autoSelectFamilyAttemptTimeout: number;
} => ({
  lookup: (_host, options, done) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = all;
    if (options.all === true || first === undefined) done(null, all);
    else done(null, first.address, first.family);
  },
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 3000,
});
