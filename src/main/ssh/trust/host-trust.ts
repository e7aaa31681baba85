/** Decides whether a host key is trusted, before any secret is sent. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { jumpWords, type JumpName } from '../../../shared/lab/access.ts';
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
   * `trusted`, `unknown`, or `by-address`: trusted under the address alone, for a host behind jump hosts. The caller
   * then accepts it under its own name. Throws `host_key_revoked`, or `host_key_changed` with both fingerprints and the place of
   * the known one. A key of a type of which none is known is unknown, not changed: `knownOther` has the known ones.
   * Throws `known_hosts_unreadable` where a damaged line may concern an unknown host.
   * @param certificate contains the offered key; one signed by a known authority is trusted
   */
  checkHostKey(offered: Buffer, certificate?: SshCertificate): 'trusted' | 'by-address' | 'unknown';
  /** A certificate authority is configured for this address: the server is asked for a certificate. */
  readonly hasAuthority: boolean;
  /**
   * Known keys for the question about a new one: those of other types, and, for a host behind jump hosts, those of its
   * address.
   */
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

/** A host as this computer reaches it. */
interface Reached {
  readonly host: string;
  readonly port: number;
  /** Its jump hosts; others with the same address may lead to another machine. */
  readonly jump?: JumpName | undefined;
}

export interface HostTrust {
  /** Throws `known_hosts_unreadable`. */
  look(hop: Reached): Promise<HostKnowledge>;
  accept(hop: Reached, key: Buffer): Promise<void>;
  allowWeak(hop: Reached, algorithms: readonly string[]): Promise<void>;
}

/** The longest name in the trust store; a longer chain of jump hosts is hashed. */
const longestName = 300;

/** The name in the trust store: as in known_hosts, and the jump hosts behind it. */
function storedName(hop: Reached): string {
  const name = knownHostName(hop.host, hop.port);
  if (hop.jump === undefined) return name;
  const jumps = jumpWords(hop).toLowerCase();
  const whole = `${name} via ${jumps}`;
  if (whole.length <= longestName) return whole;
  return `${name} via ${createHash('sha256').update(jumps).digest('hex').slice(0, 32)}`;
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
    async look(hop) {
      const { host, port } = hop;
      const name = knownHostName(host, port);
      const stored = storedName(hop);
      const isBehind = hop.jump !== undefined;
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
      const kept = await options.store.list();
      const own = kept.filter((entry) => entry.host === stored);
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
      const fromLine = (line: KnownHostLine): Known => ({
        key: line.key,
        keyType: line.keyType,
        place: placeOf(line),
      });
      const fromStore = (entry: (typeof kept)[number]): Known => ({
        key: Buffer.from(entry.key, 'base64'),
        keyType: entry.keyType,
        place: options.store.path,
      });
      const listed = here.filter((line) => line.marker === 'key').map(fromLine);
      const known: Known[] = [...(isBehind ? [] : listed), ...own.map(fromStore)];
      // As in OpenSSH, a key known for the bare name is also accepted for another port, but never contradicts it.
      const bare =
        port === 22
          ? []
          : lines
              .filter((line) => line.marker === 'key' && matchesHost(line.hosts, host.toLowerCase()))
              .map(fromLine);
      // Behind jump hosts, neither do keys of the address alone: they may be another machine's.
      const ofAddress = isBehind
        ? [...listed, ...(own.length > 0 ? [] : kept.filter((entry) => entry.host === name).map(fromStore))]
        : [];
      const weak = (await options.store.listWeak()).filter((entry) => entry.host === stored);
      return {
        allowedWeak: weak.flatMap(({ algorithms }) => algorithms),
        keyTypes: [...new Set([...known, ...bare, ...ofAddress].map(({ keyType }) => keyType))],
        knownOther: [...known, ...ofAddress].map(({ key, keyType, place }) => ({
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
          const isIn = (keys: readonly Known[]): boolean => keys.some(({ key }) => key.equals(offered));
          if (isIn(known)) return 'trusted';
          if (isIn([...bare, ...ofAddress])) return isBehind ? 'by-address' : 'trusted';
          if (certificate !== undefined && isCertified(certificate)) return 'trusted';
          const type = keyTypeOf(offered);
          const contradicted = known.find(({ keyType }) => keyType === type);
          if (contradicted === undefined) {
            // A damaged hashed name may be this host's.
            if (anyHost !== undefined) throw damagedLineError(anyHost);
            return 'unknown';
          }
          throw new RinglabError('host_key_changed', {
            host: stored,
            known: fingerprintOf(contradicted.key),
            offered: fingerprint,
            place: contradicted.place,
          });
        },
      };
    },
    allowWeak: (hop, algorithms) =>
      options.store.allowWeak({
        host: storedName(hop),
        algorithms: [...algorithms],
        addedAt: options.now() / 1000,
      }),
    accept: (hop, key) =>
      options.store.add({
        host: storedName(hop),
        keyType: keyTypeOf(key) ?? 'unknown',
        key: key.toString('base64'),
        addedAt: options.now() / 1000,
      }),
  };
}
