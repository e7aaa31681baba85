/** Formats public keys as OpenSSH does. */
import { createHash } from 'node:crypto';

/** `SHA256:…` without padding, as `ssh-keygen -l` prints it. */
export const fingerprintOf = (blob: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;

/** The key type in its own bytes (`ssh-ed25519`), or undefined where they are not a key. */
export function keyTypeOf(blob: Uint8Array): string | undefined {
  const buffer = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
  if (buffer.length < 5) return undefined;
  const length = buffer.readUInt32BE(0);
  if (length === 0 || length > 64 || buffer.length <= 4 + length) return undefined;
  const type = buffer.toString('latin1', 4, 4 + length);
  return /^[\w@.-]+$/.test(type) ? type : undefined;
}

/** Whether a public key's bytes are complete length-prefixed fields (RFC 4253, 6.6). */
export function isWholeKey(blob: Buffer): boolean {
  let at = 0;
  while (at + 4 <= blob.length) at += 4 + blob.readUInt32BE(at);
  return at === blob.length && at > 0;
}
