/** Decides whether a host key is accepted, and explains failed handshakes to the user. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { readServerOffer } from '../trust/server-offer.ts';
import { noCommonAlgorithm, type offerFor } from '../trust/algorithms.ts';
import type { SshCertificate } from '../trust/certificate.ts';
import { fingerprintOf, keyTypeOf } from '../trust/fingerprint.ts';
import { WeakAlgorithmsNeeded, weakNeeded } from '../trust/weak-algorithms.ts';
import type { Attempt } from './attempt.ts';
import type { HostKnowledge } from '../trust/host-trust.ts';
import { passwordKey } from '../login/secret-memory.ts';
import { jumpWords } from '../../../shared/lab/access.ts';
import type { SshHop } from '../contract.ts';
import { phrase } from '../../i18n/index.ts';

/** OpenSSH drops connections over MaxStartups, or from an address under a penalty, with or without these messages. */
export function refusedEarly(
  host: string,
  port: number,
  text: string,
  cause: Error | undefined,
): RinglabError {
  const detail = text.trim() || undefined;
  return detail === undefined || /MaxStartups|Not allowed at this time/i.test(detail)
    ? new RinglabError('connection_throttled', { host, seconds: 0 }, { detail, cause })
    : new RinglabError(
        'host_unreachable',
        { host, port, reason: phrase('reasons.noSshServer') },
        { detail, cause },
      );
}

/** Maximum number of known keys and damaged lines in a question. */
const maxShown = 5;

/** Trust and password of a host behind jump hosts that are stored for its address alone are taken over with its key. */
async function isTrusted(
  knowledge: HostKnowledge,
  hop: SshHop,
  key: Buffer,
  certificate: SshCertificate | undefined,
  { trust, secrets }: Attempt['services'],
): Promise<boolean> {
  const judged = knowledge.checkHostKey(key, certificate);
  if (judged === 'by-address') {
    // A full disk or a locked keyring does not keep from connecting: the next connection tries again.
    await secrets
      .adopt(passwordKey(hop), passwordKey({ ...hop, jump: undefined }))
      .then(() => trust.accept(hop, key))
      .catch(() => undefined);
  }
  return judged !== 'unknown';
}

/** Resolves where the key is trusted; asks about an unknown one. */
export async function checkHostKey(
  { hop, asker, services, signal, knowledge }: Attempt,
  key: Buffer,
  certificate: SshCertificate | undefined,
  asking: <T>(work: Promise<T>) => Promise<T>,
): Promise<void> {
  if (await isTrusted(knowledge, hop, key, certificate, services)) return;
  const fingerprint = fingerprintOf(key);
  const keyType = keyTypeOf(key) ?? '?';
  // Stores the decision here, so that a server that does not wait finds it at the next connection.
  const decide = async (): Promise<void> => {
    // The user may have answered for another node of the same machine meanwhile.
    const now = await services.trust.look(hop);
    if (await isTrusted(now, hop, key, certificate, services)) return;
    const { knownOther, skippedLines } = knowledge;
    const answer = await services.prompter.ask(
      {
        ...asker,
        kind: 'host-key',
        host: hop.host,
        keyType,
        fingerprint,
        ...(knownOther.length === 0 ? {} : { knownOther: knownOther.slice(0, maxShown) }),
        ...(skippedLines.length === 0 ? {} : { skippedLines: skippedLines.slice(0, maxShown) }),
      },
      signal,
    );
    if (answer.kind !== 'accept') {
      throw new RinglabError('host_key_unknown', { host: hop.host, fingerprint }, { where: asker.nodeName });
    }
    await services.trust.accept(hop, key);
  };
  const turn = `host-key:${jumpWords({ jump: hop })}`;
  await asking(services.turns.take(turn, signal ?? new AbortController().signal, decide));
}

export async function explainMismatch(
  attempt: Attempt,
  message: string,
  ours: ReturnType<typeof offerFor>,
): Promise<RinglabError | WeakAlgorithmsNeeded> {
  const { host } = attempt.hop;
  const offer = await attempt
    .open()
    .then((socket) => readServerOffer(socket, attempt.services.timing.handshakeMs))
    .catch(() => undefined);
  const refused = noCommonAlgorithm(host, message, ours, offer);
  const needed = offer === undefined ? undefined : weakNeeded(ours, offer);
  return needed === undefined ? refused : new WeakAlgorithmsNeeded(needed, refused);
}
