/** Ranks a node's addresses by how likely other nodes can reach them. */
import type { NodeFacts } from '../../../shared/node/provision.ts';

const isIpv4 = (address: string): boolean => /^\d{1,3}(\.\d{1,3}){3}$/.test(address);
/** Bridges of containers and virtual machines: their addresses are valid only on their own machine. */
const inner = /^(docker|br-|virbr|veth|cni|flannel|lxc|lxd|podman)/;
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
        (entry) => isIpv4(entry.address) && !inner.test(entry.interface) && !tunnel.test(entry.interface),
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
        (inner.test(entry.interface) ? -1000 : 0) +
        (entry.address === sshHost ? 500 : 0) +
        nearness(entry.address),
    }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ address }) => address);
}
