/**
 * The person's own known_hosts, read as OpenSSH reads it and never written. Unlike OpenSSH, which skips lines that it
 * cannot read, a damaged line refuses: it may have been the one that said what to trust.
 */
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { RinglabError } from '../../shared/errors.ts';
import { isWholeKey, keyTypeOf } from './fingerprint.ts';

export interface KnownHostLine {
  readonly path: string;
  readonly line: number;
  readonly marker: 'key' | 'revoked' | 'cert-authority';
  /** The first field: patterns with commas, or one hashed name. */
  readonly hosts: string;
  readonly keyType: string;
  readonly key: Buffer;
}

const largest = 16 * 1024 * 1024;
const hashedName = /^\|1\|([A-Za-z0-9+/=]+)\|([A-Za-z0-9+/=]+)$/;

const damaged = (path: string, line: number, reason: string, cause?: unknown): RinglabError =>
  new RinglabError('known_hosts_unreadable', { path, line, reason }, { cause });

/** Protocol 1 keys (`host bits exponent modulus`) are of no use to anyone, and no damage. */
const isProtocol1 = (fields: readonly string[]): boolean =>
  fields.length >= 4 && fields.slice(1, 4).every((field) => /^\d+$/.test(field));

function parseLine(path: string, line: number, text: string): KnownHostLine | undefined {
  const fields = text.split(/[ \t]+/);
  let marker: KnownHostLine['marker'] = 'key';
  if (fields[0]?.startsWith('@') === true) {
    const name = fields.shift();
    if (name === '@revoked') marker = 'revoked';
    else if (name === '@cert-authority') marker = 'cert-authority';
    else throw damaged(path, line, `unknown marker ${name ?? ''}`);
  }
  if (isProtocol1(fields)) return undefined;
  const [hosts, keyType, base64] = fields;
  if (hosts === undefined || keyType === undefined || base64 === undefined) {
    throw damaged(path, line, 'expected: hosts, key type, key');
  }
  if (hosts.startsWith('|') && !hashedName.test(hosts))
    throw damaged(path, line, 'the hashed name is damaged');
  const key = Buffer.from(base64, 'base64');
  if (key.toString('base64').replace(/=+$/, '') !== base64.replace(/=+$/, '')) {
    throw damaged(path, line, 'the key is not base64');
  }
  if (keyTypeOf(key) !== keyType) throw damaged(path, line, `the key is not of the type ${keyType}`);
  if (!isWholeKey(key)) throw damaged(path, line, 'the key is cut short');
  return { path, line, marker, hosts, keyType, key };
}

/** Throws `known_hosts_unreadable` with the file and the line. */
export function parseKnownHosts(path: string, content: Uint8Array): KnownHostLine[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    const line = bytes.subarray(0, nul).toString('latin1').split('\n').length;
    throw damaged(path, line, 'it is not a text file (UTF-16?)');
  }
  const lines = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split('\n');
  return lines.flatMap((raw, index) => {
    const text = raw.trim();
    if (text === '' || text.startsWith('#')) return [];
    return parseLine(path, index + 1, text) ?? [];
  });
}

/** A file that does not exist is an empty one. */
export async function readKnownHosts(path: string): Promise<KnownHostLine[]> {
  let content: Buffer;
  try {
    content = await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw damaged(path, 0, code === '' ? String(error) : code, error);
  }
  if (content.length > largest) throw damaged(path, 0, `it is larger than ${largest} bytes`);
  return parseKnownHosts(path, content);
}

/** How known_hosts names an address: `host`, or `[host]:port` for a port of its own. */
export const knownHostName = (host: string, port: number): string =>
  port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;

function matchesPattern(pattern: string, name: string): boolean {
  const source = pattern
    .toLowerCase()
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(name);
}

/** @param name as `knownHostName` makes it */
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
