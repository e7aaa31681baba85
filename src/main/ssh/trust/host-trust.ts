/** Decides whether a host key is trusted, before any secret is sent. */
import { join } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { certificateProblem, isSignedByAuthority, type SshCertificate } from './certificate.ts';
import { fingerprintOf, keyTypeOf } from './fingerprint.ts';
import {
  damagedLineError,
  knownHostName,
  matchesHost,
  matchesPattern,
  mayName,
  readKnownHosts,
  type KnownHostLine,
} from './known-hosts.ts';
import type { TrustStore } from './trust-store.ts';
import { phrase } from '../../i18n/index.ts';

/** What is known about an address before its key is received. */
export interface HostKnowledge {
  /** Known key types of the address, to request one of them first. */
  readonly keyTypes: readonly string[];
  /**
   * `trusted` or `unknown`; throws `host_key_revoked`, or `host_key_changed` with both fingerprints and the place of
   * the known one. A key of a type of which none is known is unknown, not changed: `knownOther` has the known ones.
   * Throws `known_hosts_unreadable` where a damaged line may concern an unknown host.
   * @param certificate contains the offered key; one signed by a known authority is trusted
   */
  checkHostKey(offered: Buffer, certificate?: SshCertificate): 'trusted' | 'unknown';
  /** A certificate authority is configured for this address: the server is asked for a certificate. */
  readonly hasAuthority: boolean;
  /** Known keys of other types for this address, for the question about a new one. */
  readonly knownOther: readonly KnownKey[];
  /** Damaged lines about other hosts, which were skipped: `path:line: reason`. */
  readonly skippedLines: readonly Phrase[];
  /** Weak algorithms that the user allowed for this address. */
  readonly allowedWeak: readonly string[];
}

interface KnownKey {
  readonly keyType: string;
  readonly fingerprint: string;
  /** File and line, or the app's own store. */
  readonly place: string;
}

export interface HostTrust {
  /** Throws `known_hosts_unreadable`. */
  look(host: string, port: number): Promise<HostKnowledge>;
  accept(host: string, port: number, key: Buffer): Promise<void>;
  allowWeak(host: string, port: number, algorithms: readonly string[]): Promise<void>;
}

interface Known {
  readonly key: Buffer;
  readonly keyType: string;
  readonly place: string;
}

const placeOf = (line: KnownHostLine): string => `${line.path}:${line.line}`;

export function createHostTrust(options: {
  /** The user's home folder. */
  home: string;
  store: TrustStore;
  /** Files read after `~/.ssh/known_hosts`; default: the system's. */
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
      const read = await Promise.all(files.map(readKnownHosts));
      const lines = read.flatMap((file) => file.lines);
      const damaged = read.flatMap((file) => file.damaged);
      const names = [name, host.toLowerCase()];
      // A damaged line may revoke or define this host's key: do not connect.
      const concerned = damaged.find(
        (line) =>
          names.some((each) => mayName(line, each)) ||
          (line.marker === 'revoked' && line.hosts === undefined),
      );
      if (concerned !== undefined) throw damagedLineError(concerned);
      const anyHost = damaged.find((line) => line.hosts === undefined);
      const own = (await options.store.list()).filter((entry) => entry.host === name);
      const here = lines.filter((line) => matchesHost(line.hosts, name));
      const revoked = lines.filter(
        (line) =>
          line.marker === 'revoked' &&
          (matchesHost(line.hosts, name) || matchesHost(line.hosts, host.toLowerCase())),
      );
      const authorities = lines.filter(
        (line) => line.marker === 'cert-authority' && names.some((each) => matchesHost(line.hosts, each)),
      );
      /** True where a known authority signed the key; throws where the certificate itself is invalid. */
      const isCertified = (certificate: SshCertificate): boolean => {
        const line = authorities.find(({ key }) => key.equals(certificate.authority));
        if (line === undefined) return false;
        const problem = isSignedByAuthority(certificate)
          ? certificateProblem(certificate, {
              isHost: true,
              now: options.now() / 1000,
              isNamed: (principal) => matchesPattern(principal, host.toLowerCase()),
            })
          : phrase('reasons.certificate.signature');
        if (problem === undefined) return true;
        throw new RinglabError('host_certificate_invalid', {
          host: name,
          reason: problem,
          place: placeOf(line),
        });
      };
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
      // As in OpenSSH, a key known for the bare name is also accepted for another port, but never contradicts it.
      const bare =
        port === 22
          ? []
          : lines.filter((line) => line.marker === 'key' && matchesHost(line.hosts, host.toLowerCase()));
      const weak = (await options.store.listWeak()).filter((entry) => entry.host === name);
      return {
        allowedWeak: weak.flatMap(({ algorithms }) => algorithms),
        keyTypes: [...new Set([...known, ...bare].map(({ keyType }) => keyType))],
        knownOther: known.map(({ key, keyType, place }) => ({
          keyType,
          fingerprint: fingerprintOf(key),
          place,
        })),
        skippedLines: damaged.map(({ path, line, reason }) =>
          phrase('reasons.inFile', { path, line, text: reason }),
        ),
        hasAuthority: authorities.length > 0,
        checkHostKey(offered, certificate) {
          const fingerprint = fingerprintOf(offered);
          const withdrawn = revoked.find(
            ({ key }) => key.equals(offered) || certificate?.authority.equals(key) === true,
          );
          if (withdrawn !== undefined) {
            throw new RinglabError('host_key_revoked', {
              host: name,
              place: placeOf(withdrawn),
              fingerprint,
            });
          }
          if ([...known, ...bare].some(({ key }) => key.equals(offered))) return 'trusted';
          if (certificate !== undefined && isCertified(certificate)) return 'trusted';
          const type = keyTypeOf(offered);
          const contradicted = known.find(({ keyType }) => keyType === type);
          if (contradicted === undefined) {
            // A damaged hashed name may be this host's.
            if (anyHost !== undefined) throw damagedLineError(anyHost);
            return 'unknown';
          }
          throw new RinglabError('host_key_changed', {
            host: name,
            known: fingerprintOf(contradicted.key),
            offered: fingerprint,
            place: contradicted.place,
          });
        },
      };
    },
    allowWeak: (host, port, algorithms) =>
      options.store.allowWeak({
        host: knownHostName(host, port),
        algorithms: [...algorithms],
        addedAt: options.now() / 1000,
      }),
    accept: (host, port, key) =>
      options.store.add({
        host: knownHostName(host, port),
        keyType: keyTypeOf(key) ?? 'unknown',
        key: key.toString('base64'),
        addedAt: options.now() / 1000,
      }),
  };
}
