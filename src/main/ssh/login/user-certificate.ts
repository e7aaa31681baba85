/**
 * User certificates: `-cert.pub` beside a key file. An invalid certificate is mentioned in messages but is not an
 * error.
 */
import { open } from 'node:fs/promises';
import type { ParsedKey } from 'ssh2';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';
import { certificateProblem, parseCertificate, type SshCertificate } from '../trust/certificate.ts';
import { withCertificate } from './ssh2-certificates.ts';

const largest = 64 * 1024;
/** Of the id and of the names in messages. */
const longestShown = 150;

/** Describes a certificate in messages. */
export function describeCertificate(certificate: SshCertificate, user: string, now: number): Phrase {
  const problem = certificateProblem(certificate, {
    isHost: false,
    now,
    isNamed: (principal) => principal === user,
  });
  const id = certificate.keyId.slice(0, longestShown);
  const names = certificate.principals.join(', ').slice(0, longestShown);
  const shown =
    names === ''
      ? phrase('reasons.userCertificate.one', { id })
      : phrase('reasons.userCertificate.named', { id, names });
  return problem === undefined
    ? shown
    : phrase('reasons.userCertificate.unusable', { certificate: shown, problem });
}

/** undefined where there is no file; a phrase is the reason why it cannot be used. */
export async function readUserCertificate(keyPath: string): Promise<SshCertificate | Phrase | undefined> {
  const path = `${keyPath}-cert.pub`;
  let text: string;
  try {
    const file = await open(path, 'r');
    try {
      if (!(await file.stat()).isFile()) return phrase('reasons.userCertificate.noFile', { path });
      const { bytesRead, buffer } = await file.read(Buffer.alloc(largest), 0, largest, 0);
      text = buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? undefined
      : phrase('reasons.userCertificate.unreadable', { path, code });
  }
  const base64 = text.trim().split(/\s+/)[1] ?? '';
  const certificate = parseCertificate(Buffer.from(base64, 'base64'));
  return certificate ?? phrase('reasons.userCertificate.none', { path });
}

/** The key with its certificate, where that is a user certificate of this key. */
export function certified(key: ParsedKey, certificate: SshCertificate): ParsedKey | undefined {
  return !certificate.isHost && certificate.key.equals(key.getPublicSSH())
    ? withCertificate(key, certificate)
    : undefined;
}
