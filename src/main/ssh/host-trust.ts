/** Decides whether a host key may be trusted, before anything secret is sent. */
import { join } from 'node:path';
import { RinglabError } from '../../shared/errors.ts';
import { fingerprintOf, keyTypeOf } from './fingerprint.ts';
import { knownHostName, matchesHost, readKnownHosts, type KnownHostLine } from './known-hosts.ts';
import type { TrustStore } from './trust-store.ts';

/** What is known of one address before its key is seen. */
export interface HostKnowledge {
  /** Key types already known for it, to ask the server for one of these first. */
  readonly keyTypes: readonly string[];
  /**
   * `trusted` or `unknown`; throws `host_key_revoked`, or `host_key_changed` with both fingerprints and where the
   * known one stands.
   */
  judge(offered: Buffer): 'trusted' | 'unknown';
}

export interface HostTrust {
  /** Throws `known_hosts_unreadable`. */
  look(host: string, port: number): Promise<HostKnowledge>;
  accept(host: string, port: number, key: Buffer): Promise<void>;
}

interface Known {
  readonly key: Buffer;
  readonly keyType: string;
  readonly place: string;
}

const placeOf = (line: KnownHostLine): string => `${line.path}:${line.line}`;

export function createHostTrust(options: {
  /** The person's home folder. */
  home: string;
  store: TrustStore;
  /** Files read after `~/.ssh/known_hosts`; the system's unless told. */
  systemFiles?: readonly string[] | undefined;
  now: () => number;
}): HostTrust {
  const files = [
    join(options.home, '.ssh', 'known_hosts'),
    join(options.home, '.ssh', 'known_hosts2'),
    ...(options.systemFiles ?? ['/etc/ssh/ssh_known_hosts', '/etc/ssh/ssh_known_hosts2']),
  ];
  return {
    async look(host, port) {
      const name = knownHostName(host, port);
      const lines = (await Promise.all(files.map(readKnownHosts))).flat();
      const own = (await options.store.list()).filter((entry) => entry.host === name);
      const here = lines.filter((line) => matchesHost(line.hosts, name));
      const revoked = lines.filter(
        (line) =>
          line.marker === 'revoked' &&
          (matchesHost(line.hosts, name) || matchesHost(line.hosts, host.toLowerCase())),
      );
      // Certificates of hosts are not spoken here: an authority's line trusts no plain key, and is no key of the host.
      const known: Known[] = [
        ...here
          .filter((line) => line.marker === 'key')
          .map((line) => ({ key: line.key, keyType: line.keyType, place: placeOf(line) })),
        ...own.map((entry) => ({
          key: Buffer.from(entry.key, 'base64'),
          keyType: entry.keyType,
          place: options.store.path,
        })),
      ];
      // Like OpenSSH: a key known for the bare name also serves another port, but never contradicts it.
      const bare =
        port === 22
          ? []
          : lines.filter((line) => line.marker === 'key' && matchesHost(line.hosts, host.toLowerCase()));
      return {
        keyTypes: [...new Set([...known, ...bare].map(({ keyType }) => keyType))],
        judge(offered) {
          const fingerprint = fingerprintOf(offered);
          const withdrawn = revoked.find(({ key }) => key.equals(offered));
          if (withdrawn !== undefined) {
            throw new RinglabError('host_key_revoked', {
              host: name,
              place: placeOf(withdrawn),
              fingerprint,
            });
          }
          if ([...known, ...bare].some(({ key }) => key.equals(offered))) return 'trusted';
          const type = keyTypeOf(offered);
          const contradicted = known.find(({ keyType }) => keyType === type) ?? known[0];
          if (contradicted === undefined) return 'unknown';
          throw new RinglabError('host_key_changed', {
            host: name,
            known: fingerprintOf(contradicted.key),
            offered: fingerprint,
            place: contradicted.place,
          });
        },
      };
    },
    accept: (host, port, key) =>
      options.store.add({
        host: knownHostName(host, port),
        keyType: keyTypeOf(key) ?? 'unknown',
        key: key.toString('base64'),
        addedAt: options.now() / 1000,
      }),
  };
}
