/**
 * User certificates: `-cert.pub` beside a key file. An invalid certificate is mentioned in messages but is not an
 * error.
 */
import { open } from 'node:fs/promises';
import type { ParsedKey } from 'ssh2';
import { certificateProblem, parseCertificate, type SshCertificate } from '../trust/certificate.ts';
import { withCertificate } from './ssh2-certificates.ts';

const largest = 64 * 1024;

/** Describes a certificate in messages. */
export function describeCertificate(certificate: SshCertificate, user: string, now: number): string {
  const problem = certificateProblem(certificate, {
    isHost: false,
    now,
    isNamed: (principal) => principal === user,
  });
  const names = certificate.principals.length === 0 ? '' : `, for ${certificate.principals.join(', ')}`;
  const id = `certificate “${certificate.keyId}”${names}`.slice(0, 300);
  return problem === undefined ? id : `${id}: ${problem.en}`;
}

/** undefined where there is no file; a string is the reason why it cannot be used. */
export async function readUserCertificate(keyPath: string): Promise<SshCertificate | string | undefined> {
  const path = `${keyPath}-cert.pub`;
  let text: string;
  try {
    const file = await open(path, 'r');
    try {
      if (!(await file.stat()).isFile()) return `${path} is not a file`;
      const { bytesRead, buffer } = await file.read(Buffer.alloc(largest), 0, largest, 0);
      text = buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : `${path} cannot be read (${code})`;
  }
  const base64 = text.trim().split(/\s+/)[1] ?? '';
  const certificate = parseCertificate(Buffer.from(base64, 'base64'));
  return certificate ?? `${path} holds no certificate`;
}

/** The key with its certificate, where that is a user certificate of this key. */
export function certified(key: ParsedKey, certificate: SshCertificate): ParsedKey | undefined {
  return !certificate.isHost && certificate.key.equals(key.getPublicSSH())
    ? withCertificate(key, certificate)
    : undefined;
}
