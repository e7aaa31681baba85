/** Ranks a node's addresses by how likely other nodes can reach them. */
import { isIPv6 } from 'node:net';
import type { NodeFacts } from '../../../shared/node/provision.ts';

const isIpv4 = (address: string): boolean => /^\d{1,3}(\.\d{1,3}){3}$/.test(address);
const inner = /^(docker|br-|virbr|veth|cni|flannel|lxc|lxd|podman)/;
/** On a bridge of containers or virtual machines: such an address is mostly valid only on its own machine. */
export const isInner = (entry: NodeFacts['addresses'][number]): boolean => inner.test(entry.interface);
/** Of Ringlab: a lab's tunnel leads to that lab's nodes alone, and ends with it. */
const tunnel = /^rlwg/;

/** How many leading bits two IPv4 addresses share. */
function sharedBits(a: string, b: string): number {
  const value = (address: string): number =>
    address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return Math.clz32((value(a) ^ value(b)) >>> 0);
}

/**
 * IPv4 addresses of a node, the most likely first: the one its SSH login uses, then those nearest to an address of
 * each of the others; bridges of containers last. Only a test shows which of them work.
 * @param sshHost where the app reaches the node; only counts where it is an address of the node itself (not NAT's)
 */
export function candidateAddresses(
  facts: NodeFacts,
  sshHost: string,
  others: readonly NodeFacts[],
): string[] {
  const nearness = (address: string): number =>
    others.reduce((sum, other) => {
      const theirs = other.addresses.filter(
        (entry) => isIpv4(entry.address) && !isInner(entry) && !tunnel.test(entry.interface),
      );
      return sum + Math.max(0, ...theirs.map((entry) => sharedBits(address, entry.address)));
    }, 0);
  return facts.addresses
    .filter(
      (entry) => isIpv4(entry.address) && !entry.address.startsWith('127.') && !tunnel.test(entry.interface),
    )
    .map((entry) => ({
      address: entry.address,
      rank:
        (isInner(entry) && entry.address !== sshHost ? -1000 : 0) +
        (entry.address === sshHost ? 500 : 0) +
        nearness(entry.address),
    }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ address }) => address);
}

/** Of 128 bits, in binary digits. */
function bitsOfV6(address: string): string {
  // Also writes an IPv4 address at the end as digits.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail];
  return groups.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}

function sharedDigits(a: string, b: string): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}

/** A prefix that an organisation made itself: it leads to no other organisation's. */
const isLocalV6 = (bits: string): boolean => bits.startsWith('1111110');
const ownPrefix = 48;

/** IPv6 addresses of a node beyond its link, those that share most with an address of the other first. */
export function candidateV6Addresses(facts: NodeFacts, other: NodeFacts): string[] {
  const beyondLink = ({ addresses }: NodeFacts): string[] =>
    addresses
      .filter((entry) => isIPv6(entry.address) && !tunnel.test(entry.interface))
      .map(({ address }) => address)
      .filter((address) => !/^(?:fe[89ab]|::1$|ff|.*%)/i.test(address));
  const theirs = beyondLink(other).map(bitsOfV6);
  const rankOf = (address: string): number => {
    const bits = bitsOfV6(address);
    const most = Math.max(0, ...theirs.map((their) => sharedDigits(bits, their)));
    return isLocalV6(bits) && most < ownPrefix ? most - bits.length : most;
  };
  if (theirs.length === 0) return [];
  return beyondLink(facts)
    .map((address) => ({ address, rank: rankOf(address) }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ address }) => address);
}
