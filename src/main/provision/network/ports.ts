/** Finds free ports on a node, and reserves them for runs of this process. */
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { Clock } from '../../base/clock.ts';

/** Maximum number of ports tried, starting at the wanted one. */
export const maxPortAttempts = 50;
/**
 * How long a port is reserved; by then the run itself listens on it. The reservation ends earlier when the port has
 * been seen in use.
 */
const promisedMs = 60_000;
/** Within this time a lab that is prepared again keeps its reserved port, since the run has not started yet. */
const ownMs = 10_000;

/** Lists ports in use from the kernel's tables: needs no program. */
export const listeningScript = `
for file in /proc/net/tcp /proc/net/tcp6; do
  [ -r "$file" ] && while read -r slot local remote state rest; do
    [ "$state" = 0A ] && printf '%s ' "\${local##*:}"
  done < "$file"
done
echo
`;

/** `1F9A 0016` → 8090, 22 */
export const parseListening = (text: string): Set<number> =>
  new Set(
    text
      .trim()
      .split(/\s+/)
      .filter((word) => /^[0-9A-F]{1,4}$/.test(word))
      .map((word) => Number.parseInt(word, 16)),
  );

/**
 * Nodes with the same key share their ports: local nodes, and nodes drawn twice. Containers on one kernel have the
 * same boot id but different addresses.
 */
export const machineOf = (facts: NodeFacts): string =>
  [facts.bootId, ...facts.addresses.map(({ address }) => address).sort()].join(' ');

export interface PortPromises {
  /** The first port from `wanted` on that is neither in `taken` nor reserved; reserves it for `owner`. */
  promise(machine: string, wanted: number, taken: ReadonlySet<number>, owner: string): number | undefined;
  /** Releases a reservation early. */
  release(machine: string, port: number): void;
}

export function createPortPromises(clock: Clock): PortPromises {
  const promises = new Map<string, { owner: string; at: number }>();
  const key = (machine: string, port: number): string => `${port} ${machine}`;
  return {
    promise(machine, wanted, taken, owner) {
      const now = clock.ticks();
      for (const [name, { at }] of promises) if (now - at >= promisedMs) promises.delete(name);
      for (let port = wanted; port < Math.min(65_536, wanted + maxPortAttempts); port += 1) {
        const name = key(machine, port);
        const made = promises.get(name);
        if (taken.has(port)) promises.delete(name);
        const other = made !== undefined && (made.owner !== owner || now - made.at < ownMs);
        if (taken.has(port) || other) continue;
        promises.set(name, { owner, at: now });
        return port;
      }
      return undefined;
    },
    release(machine, port) {
      promises.delete(key(machine, port));
    },
  };
}
