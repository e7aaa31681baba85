/** Which ports are free on a node, and which of them this process has just promised to a run. */
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { Clock } from '../../base/clock.ts';

/** How many ports are tried from the wanted one on. */
export const portTries = 50;
/**
 * A promised port is not given to another run for this long; by then the run listens there itself. Once it was seen
 * listening the promise is kept, and the port is like any other.
 */
const promisedMs = 60_000;
/** Prepared again after this, a lab gets the port it was promised before: it was not started in between. */
const ownMs = 10_000;

/** Ports that something listens on, from the kernel's own tables: no program is needed for it. */
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
 * Nodes with the same key share their ports: local nodes, and nodes drawn twice. Containers of one kernel have the same
 * boot id but addresses of their own.
 */
export const machineOf = (facts: NodeFacts): string =>
  [facts.bootId, ...facts.addresses.map(({ address }) => address).sort()].join(' ');

export interface PortPromises {
  /** The first port from `wanted` on that is neither in `taken` nor promised; promised to `owner` from now on. */
  promise(machine: string, wanted: number, taken: ReadonlySet<number>, owner: string): number | undefined;
  /** Gives it back before its time. */
  release(machine: string, port: number): void;
}

export function createPortPromises(clock: Clock): PortPromises {
  const promises = new Map<string, { owner: string; at: number }>();
  const key = (machine: string, port: number): string => `${port} ${machine}`;
  return {
    promise(machine, wanted, taken, owner) {
      const now = clock.now();
      for (const [name, { at }] of promises) if (now - at >= promisedMs) promises.delete(name);
      for (let port = wanted; port < Math.min(65_536, wanted + portTries); port += 1) {
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
