/**
 * Whom this computer trusts: Node has a list of its own, which lacks the certificate of a company's proxy that signs anew what
 * passes it.
 */
import tls from 'node:tls';
import { phrase } from '../i18n/index.ts';
import { WordedError } from '../base/reason.ts';

let isDone = false;

/**
 * This process's later connections trust the system's store, too. Called where the first one is made: a store takes up to seconds
 * to read. Older versions of Node have their own list alone.
 */
export function trustSystemStore(): void {
  if (isDone) return;
  isDone = true;
  if (!('setDefaultCACertificates' in tls)) return;
  try {
    const all = [...tls.getCACertificates('default'), ...tls.getCACertificates('system')];
    tls.setDefaultCACertificates([...new Set(all)]);
  } catch {
    // A store that cannot be read: Node's own list counts.
  }
}

const untrusted =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER_CERT(?:_LOCALLY)?|VERIFY_LEAF_SIGNATURE))$/;

/** The error of a connection, with what to do where the server's certificate is signed by nobody who is trusted. */
export const withCertificates = (error: Error): Error =>
  'code' in error && untrusted.test(String(error.code))
    ? new WordedError(phrase('reasons.download.untrusted', { said: error.message }), { cause: error })
    : error;
