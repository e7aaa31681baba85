/**
 * Parses the user's known_hosts as OpenSSH does; never writes it. OpenSSH skips lines that it cannot read; here such
 * a line is kept as damaged, since it may have contained this host's key.
 */
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { RinglabError } from '../../../shared/base/errors.ts';
import { isWholeKey, keyTypeOf } from './fingerprint.ts';
import { phrase } from '../../i18n/index.ts';
import { type Phrase, plain } from '../../../shared/base/phrase.ts';

export interface KnownHostLine {
  readonly path: string;
  readonly line: number;
  readonly marker: 'key' | 'revoked' | 'cert-authority';
  /** The first field: patterns with commas, or one hashed name. */
  readonly hosts: string;
  readonly keyType: string;
  readonly key: Buffer;
}

/** A line that cannot be read. */
export interface DamagedLine {
  readonly path: string;
  readonly line: number;
  readonly reason: Phrase;
  /** A line with an unknown marker counts as `revoked`, to be safe. */
  readonly marker: KnownHostLine['marker'];
  /** The part of the first field that exists; undefined where it is a damaged hashed name. */
  readonly hosts: string | undefined;
  /** Nothing follows the first field: the name itself may be incomplete. */
  readonly isTorn: boolean;
}

export interface KnownHosts {
  readonly lines: readonly KnownHostLine[];
  readonly damaged: readonly DamagedLine[];
}

const largest = 16 * 1024 * 1024;
const hashedName = /^\|1\|([A-Za-z0-9+/=]+)\|([A-Za-z0-9+/=]+)$/;

const unreadable = (path: string, line: number, reason: Phrase, cause?: unknown): RinglabError =>
  new RinglabError('known_hosts_unreadable', { path, line, reason }, { cause });

export const damagedLineError = ({ path, line, reason }: DamagedLine): RinglabError =>
  unreadable(path, line, reason);

/** Protocol 1 keys (`host bits exponent modulus`) are obsolete, but not damage. */
const isProtocol1 = (fields: readonly string[]): boolean =>
  fields.length >= 4 && fields.slice(1, 4).every((field) => /^\d+$/.test(field));

const markers: ReadonlyMap<string, KnownHostLine['marker']> = new Map([
  ['@revoked', 'revoked'],
  ['@cert-authority', 'cert-authority'],
]);

/** Parses a key's two fields; returns the key or the problem. */
function parseKey(keyType: string | undefined, base64: string | undefined): Buffer | Phrase {
  if (keyType === undefined || base64 === undefined) return phrase('reasons.knownHosts.fields');
  const key = Buffer.from(base64, 'base64');
  if (key.toString('base64').replace(/=+$/, '') !== base64.replace(/=+$/, ''))
    return phrase('reasons.knownHosts.base64');
  if (keyTypeOf(key) !== keyType) return phrase('reasons.knownHosts.type', { keyType });
  return isWholeKey(key) ? key : phrase('reasons.knownHosts.cut');
}

function parseLine(path: string, line: number, text: string): KnownHostLine | DamagedLine | undefined {
  const fields = text.split(/[ \t]+/);
  const named = fields[0]?.startsWith('@') === true ? fields.shift() : undefined;
  const known = named === undefined ? 'key' : markers.get(named);
  const marker = known ?? 'revoked';
  if (isProtocol1(fields)) return undefined;
  const [hosts = '', keyType, base64] = fields;
  const isHashed = hosts.startsWith('|');
  const isNamed = !isHashed || hashedName.test(hosts);
  const key = parseKey(keyType, base64);
  const reason =
    known === undefined
      ? phrase('reasons.knownHosts.marker', { marker: named?.slice(0, 40) ?? '' })
      : !isNamed
        ? phrase('reasons.knownHosts.hashed')
        : Buffer.isBuffer(key)
          ? undefined
          : key;
  if (reason === undefined && Buffer.isBuffer(key))
    return { path, line, marker, hosts, keyType: keyType ?? '', key };
  return {
    path,
    line,
    reason: reason ?? plain(''),
    marker,
    hosts: isNamed ? hosts : undefined,
    isTorn: keyType === undefined,
  };
}

/** Throws `known_hosts_unreadable` where the file is not text. */
export function parseKnownHosts(path: string, content: Uint8Array): KnownHosts {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    const line = bytes.subarray(0, nul).toString('latin1').split('\n').length;
    throw unreadable(path, line, phrase('reasons.knownHosts.noText'));
  }
  const lines: KnownHostLine[] = [];
  const damaged: DamagedLine[] = [];
  for (const [index, raw] of bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const text = raw.trim();
    if (text === '' || text.startsWith('#')) continue;
    const read = parseLine(path, index + 1, text);
    if (read === undefined) continue;
    if ('reason' in read) damaged.push(read);
    else lines.push(read);
  }
  return { lines, damaged };
}

/** A missing file counts as empty. */
export async function readKnownHosts(path: string): Promise<KnownHosts> {
  let content: Buffer;
  try {
    content = await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { lines: [], damaged: [] };
    throw unreadable(path, 0, plain(code === '' ? String(error) : code), error);
  }
  if (content.length > largest)
    throw unreadable(path, 0, phrase('reasons.ownFile.large', { limit: largest }));
  return parseKnownHosts(path, content);
}

/** An address as known_hosts names it: `host`, or `[host]:port` for a non-default port. */
export const knownHostName = (host: string, port: number): string =>
  port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;

export function matchesPattern(pattern: string, name: string): boolean {
  const source = pattern
    .toLowerCase()
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(name);
}

/** @param name from `knownHostName` */
export function matchesHost(hosts: string, name: string): boolean {
  const hashed = hashedName.exec(hosts);
  if (hashed !== null) {
    const [, salt = '', hash = ''] = hashed;
    return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
  }
  let matched = false;
  for (const pattern of hosts.split(',')) {
    if (pattern.startsWith('!')) {
      if (matchesPattern(pattern.slice(1), name)) return false;
    } else if (pattern !== '' && matchesPattern(pattern, name)) matched = true;
  }
  return matched;
}

/** Whether a damaged line names this host, or may have done so before it was cut. */
export function mayName(line: DamagedLine, name: string): boolean {
  const { hosts } = line;
  if (hosts === undefined) return false;
  if (matchesHost(hosts, name)) return true;
  const last = hosts.split(',').at(-1)?.toLowerCase() ?? '';
  return line.isTorn && !last.startsWith('!') && (hosts === '' || matchesHost(`${last}*`, name));
}
