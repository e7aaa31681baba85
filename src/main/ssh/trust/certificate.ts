/** Parses OpenSSH certificates (PROTOCOL.certkeys) and verifies their signatures. */
import { createPublicKey, verify } from 'node:crypto';
import ssh2, { type ParsedKey } from 'ssh2';
import { keyTypeOf } from './fingerprint.ts';
import { phrase } from '../../i18n/index.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';

export const certificateSuffix = '-cert-v01@openssh.com';
/** Number of fields of the public key after the nonce. */
const keyFields: ReadonlyMap<string, number> = new Map([
  ['ssh-ed25519', 1],
  ['ssh-rsa', 2],
  ['ecdsa-sha2-nistp256', 2],
  ['ecdsa-sha2-nistp384', 2],
  ['ecdsa-sha2-nistp521', 2],
]);
const largest = 64 * 1024;
const maxEntries = 1000;

export interface SshCertificate {
  readonly blob: Buffer;
  /** The certified key without the certificate. */
  readonly key: Buffer;
  readonly keyType: string;
  readonly isHost: boolean;
  readonly keyId: string;
  readonly principals: readonly string[];
  /** Unix seconds; `validBefore` is Infinity where it never expires. */
  readonly validAfter: number;
  readonly validBefore: number;
  readonly criticalOptions: readonly string[];
  readonly authority: Buffer;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** Throws RangeError where the bytes end early. */
export function fieldReader(bytes: Buffer): {
  text(): Buffer;
  uint32(): number;
  uint64(): number;
  position(): number;
} {
  let at = 0;
  const take = (length: number): Buffer => {
    if (length > bytes.length - at) throw new RangeError('cut short');
    at += length;
    return bytes.subarray(at - length, at);
  };
  return {
    text: () => take(take(4).readUInt32BE()),
    uint32: () => take(4).readUInt32BE(),
    uint64: () => {
      const value = take(8).readBigUInt64BE();
      return value > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(value);
    },
    position: () => at,
  };
}

export const field = (value: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** Texts of a certificate are shown in messages: removes control characters. */
const plainText = (bytes: Buffer): string =>
  bytes.toString('utf8').replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD');

function names(list: Buffer, width: 1 | 2): string[] {
  const reader = fieldReader(list);
  const found: string[] = [];
  while (reader.position() < list.length) {
    found.push(plainText(reader.text()));
    if (width === 2) reader.text();
    if (found.length > maxEntries) throw new RangeError('too many entries');
  }
  return found;
}

/** undefined where the bytes are not a supported certificate. */
export function parseCertificate(blob: Buffer): SshCertificate | undefined {
  const type = keyTypeOf(blob);
  if (type?.endsWith(certificateSuffix) !== true || blob.length > largest) return undefined;
  const keyType = type.slice(0, -certificateSuffix.length);
  const fields = keyFields.get(keyType);
  if (fields === undefined) return undefined;
  try {
    const reader = fieldReader(blob);
    reader.text();
    reader.text(); // The nonce.
    const key = Buffer.concat([
      field(keyType),
      ...Array.from({ length: fields }, () => field(reader.text())),
    ]);
    reader.uint64(); // The serial number.
    const kind = reader.uint32();
    const keyId = plainText(reader.text());
    const principals = names(reader.text(), 1);
    const validAfter = reader.uint64();
    const validBefore = reader.uint64();
    const criticalOptions = names(reader.text(), 2);
    reader.text(); // Extensions.
    reader.text(); // Reserved.
    const authority = Buffer.from(reader.text());
    const signed = Buffer.from(blob.subarray(0, reader.position()));
    const signature = Buffer.from(reader.text());
    if (reader.position() !== blob.length || (kind !== 1 && kind !== 2)) return undefined;
    return {
      ...{ blob, key, keyType, isHost: kind === 2, keyId, principals, validAfter, validBefore },
      ...{ criticalOptions, authority, signed, signature },
    };
  } catch {
    return undefined;
  }
}

/** As in OpenSSH, SHA-1 (`ssh-rsa`) is not accepted for an authority's signature. */
const hashes: Readonly<Record<string, string | null>> = {
  'ssh-ed25519': null,
  'rsa-sha2-256': 'sha256',
  'rsa-sha2-512': 'sha512',
  'ecdsa-sha2-nistp256': 'sha256',
  'ecdsa-sha2-nistp384': 'sha384',
  'ecdsa-sha2-nistp521': 'sha512',
};
const curveBytes: Readonly<Record<string, number>> = {
  'ecdsa-sha2-nistp256': 32,
  'ecdsa-sha2-nistp384': 48,
  'ecdsa-sha2-nistp521': 66,
};

/** Converts a public key from the wire format to ssh2's. */
export function publicKeyOf(blob: Buffer): ParsedKey | undefined {
  const parsed = ssh2.utils.parseKey(`${keyTypeOf(blob) ?? '?'} ${blob.toString('base64')}`);
  return parsed instanceof Error ? undefined : parsed;
}

/** Whether the authority named in the certificate has signed it. */
export function isSignedByAuthority({ authority, signed, signature }: SshCertificate): boolean {
  try {
    const reader = fieldReader(signature);
    const algorithm = reader.text().toString('latin1');
    const bytes = reader.text();
    const hash = hashes[algorithm];
    const type = keyTypeOf(authority);
    const isOfKey = algorithm.startsWith('rsa-sha2-') ? type === 'ssh-rsa' : type === algorithm;
    const pem = publicKeyOf(authority)?.getPublicPEM();
    if (hash === undefined || !isOfKey || pem === undefined) return false;
    const key = createPublicKey(pem);
    const width = curveBytes[algorithm];
    if (width === undefined) return verify(hash, signed, key, bytes);
    const numbers = fieldReader(bytes);
    const plain = [numbers.text(), numbers.text()].map((number) => {
      const digits = number[0] === 0 ? number.subarray(1) : number;
      if (digits.length > width) throw new RangeError('too long');
      return Buffer.concat([Buffer.alloc(width - digits.length), digits]);
    });
    return verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(plain));
  } catch {
    return false;
  }
}

const time = (seconds: number): string =>
  Number.isFinite(seconds) && seconds < 1e11 ? new Date(seconds * 1000).toISOString() : 'never';

/** Why a certificate is invalid; undefined where it is valid. The signature is verified separately. */
export function certificateProblem(
  certificate: SshCertificate,
  { isHost, now, isNamed }: { isHost: boolean; now: number; isNamed: (principal: string) => boolean },
): Phrase | undefined {
  const { principals, validAfter, validBefore, criticalOptions } = certificate;
  if (certificate.isHost !== isHost)
    return isHost ? phrase('reasons.certificate.ofUser') : phrase('reasons.certificate.ofHost');
  if (now < validAfter) return phrase('reasons.certificate.notYet', { time: time(validAfter) });
  if (now >= validBefore) return phrase('reasons.certificate.expired', { time: time(validBefore) });
  // As in OpenSSH, a certificate without principals is valid for all.
  if (principals.length > 0 && !principals.some(isNamed))
    return phrase('reasons.certificate.forOthers', {
      names: principals.slice(0, 5).join(', ').slice(0, 300),
    });
  if (isHost && criticalOptions.length > 0)
    return phrase('reasons.certificate.options', {
      names: criticalOptions.slice(0, 5).join(', ').slice(0, 300),
    });
  return undefined;
}
