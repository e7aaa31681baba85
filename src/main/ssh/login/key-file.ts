/** Reads private key files. */
import { createHash, createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import ssh2, { type ParsedKey } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import { readOwnFile } from '../../base/own-file.ts';
import { reasonOf } from '../../base/reason.ts';
import { phrase } from '../../i18n/index.ts';
import { isPublicKey } from '../config/identity-file.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';

const { utils } = ssh2;
const largest = 256 * 1024;

export interface KeyFile {
  readonly path: string;
  /** With `~` expanded. */
  readonly fullPath: string;
  /** SHA-256 of its content, in hexadecimal. */
  readonly digest: string;
  /** The key, or undefined where the file is encrypted and no passphrase was given. */
  readonly key: ParsedKey | undefined;
  /** Throws `key_passphrase` where the passphrase is wrong, `key_unreadable` where the content is not a key. */
  unlock(passphrase: string): ParsedKey;
}

const unusable = (path: string, reason: string | Phrase, cause?: unknown): RinglabError =>
  new RinglabError('key_unreadable', { path, reason }, { cause });

/** Explains the most frequent mistakes. */
function explain(text: string, message: string | Phrase): string | Phrase {
  if (isPublicKey(text)) return phrase('reasons.key.public');
  if (text.includes('PuTTY-User-Key-File-3')) return phrase('reasons.key.putty');
  if (text.includes('BEGIN CERTIFICATE')) return phrase('reasons.key.certificate');
  if (text.trim() === '') return phrase('reasons.key.empty');
  if (typeof message === 'string' && /sk-(ssh|ecdsa)/.test(message)) return phrase('reasons.key.securityKey');
  return message;
}

/** ssh2's types say one key, but it returns an array for formats that may contain several. */
const firstKey = (text: string, passphrase?: string): ParsedKey | Error | undefined => {
  const parsed: ParsedKey | Error | readonly (ParsedKey | Error)[] = utils.parseKey(text, passphrase);
  return isList(parsed) ? parsed[0] : parsed;
};
const isList = (value: unknown): value is readonly (ParsedKey | Error)[] => Array.isArray(value);

/** A key that is not encrypted. Throws `key_unreadable`. */
export function parsePrivateKey(name: string, text: string): ParsedKey {
  const key = parse(name, text);
  if (key === 'encrypted') throw unusable(name, phrase('reasons.key.encrypted'));
  return key;
}

const wrongPassphrase = (path: string, cause: Error): RinglabError =>
  new RinglabError('key_passphrase', { path }, { detail: cause.message, cause });

const olderForms: ReadonlyMap<string | undefined, 'pkcs1' | 'sec1'> = new Map([
  ['rsa', 'pkcs1'],
  ['ec', 'sec1'],
]);

/**
 * PKCS#8, as `openssl genpkey` writes it, in the older form of its kind, which ssh2 reads. ssh(1) has none of Ed25519 there.
 * Undefined where it is encrypted and no passphrase was given. Throws `key_passphrase`, `key_unreadable`.
 */
function withoutPkcs8(path: string, text: string, passphrase?: string): string | undefined {
  const isEncrypted = text.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----');
  if (!isEncrypted && !text.includes('-----BEGIN PRIVATE KEY-----')) return text;
  if (isEncrypted && passphrase === undefined) return undefined;
  try {
    const key = createPrivateKey({ key: text, ...(passphrase === undefined ? {} : { passphrase }) });
    const older = olderForms.get(key.asymmetricKeyType);
    if (older === undefined) throw unusable(path, phrase('reasons.key.pkcs8'));
    return key.export({ type: older, format: 'pem' }).toString();
  } catch (error) {
    if (isEncrypted && error instanceof Error && !(error instanceof RinglabError))
      throw wrongPassphrase(path, error);
    throw error instanceof RinglabError ? error : unusable(path, reasonOf(error), error);
  }
}

function parse(path: string, written: string, passphrase?: string): ParsedKey | 'encrypted' {
  const text = withoutPkcs8(path, written, passphrase);
  if (text === undefined) return 'encrypted';
  const key = firstKey(text, passphrase);
  if (key instanceof Error) {
    if (/no passphrase given/i.test(key.message)) return 'encrypted';
    if (passphrase !== undefined && /passphrase|decrypt|integrity|bad|authenticate/i.test(key.message))
      throw wrongPassphrase(path, key);
    throw unusable(path, explain(text, key.message), key);
  }
  if (key?.isPrivateKey() !== true) throw unusable(path, explain(text, phrase('reasons.key.none')));
  return key;
}

/**
 * Throws `key_unreadable` with the reason; needs no passphrase.
 * @param path absolute, or `~/…` for the user's home
 */
export async function readKeyFile(path: string, home: string): Promise<KeyFile> {
  const full = path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
  let text: string;
  try {
    text = (await readOwnFile(full, largest)).toString('utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw unusable(path, reasonOf(error), error);
  }
  const first = parse(path, text);
  return {
    path,
    fullPath: full,
    digest: createHash('sha256').update(text).digest('hex'),
    key: first === 'encrypted' ? undefined : first,
    unlock(passphrase) {
      const key = parse(path, text, passphrase);
      if (key === 'encrypted') throw new RinglabError('key_passphrase', { path });
      return key;
    },
  };
}
