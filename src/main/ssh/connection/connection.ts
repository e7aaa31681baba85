/** Connects to one host: verifies its key, then logs in. */
import type { Duplex } from 'node:stream';
import ssh2, { type Client } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import { linesOf } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';
import type { Question } from '../../../shared/contract/prompts.ts';
import { offerFor } from '../trust/algorithms.ts';
import type { SshCertificate } from '../trust/certificate.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { keepWhileDataArrives } from './alive.ts';
import { guardConnection } from './connection-guard.ts';
import type { SshHop } from '../contract.ts';
import { fingerprintOf, keyTypeOf } from '../trust/fingerprint.ts';
import type { HostKnowledge } from '../trust/host-trust.ts';
import { askForHostCertificate, teachUserKeys } from '../login/ssh2-certificates.ts';
import { WeakAlgorithmsNeeded, weakUserSignature } from '../trust/weak-algorithms.ts';
import { createLogin, type Asker, type AuthSequence, type Login } from '../login/login.ts';
import { refusedEarly, checkHostKey, explainMismatch } from './judgement.ts';
import { HungUpMeanwhile, createDeadline } from './deadline.ts';
import type { ConnectionServices, Attempt } from './attempt.ts';

const pinned = (hop: SshHop, base64: string): HostKnowledge => {
  const key = Buffer.from(base64, 'base64');
  return {
    keyTypes: [keyTypeOf(key) ?? ''],
    knownOther: [],
    skippedLines: [],
    allowedWeak: [],
    hasAuthority: false,
    checkHostKey(offered) {
      if (key.equals(offered)) return 'trusted';
      throw new RinglabError('host_key_changed', {
        host: `[${hop.host}]:${hop.port}`,
        known: fingerprintOf(key),
        offered: fingerprintOf(offered),
        place: 'Ringlab',
      });
    },
  };
};

/** Maximum number of connections for one login: each question or permission may need a new one. */
const maxAttempts = 4;

export interface Connected {
  readonly client: Client;
  /** Fingerprint of the host key that was verified before the login. */
  readonly hostKey: string;
}

/**
 * Connects and logs in. Rejects with the codes of trust, login and connection; `connection_throttled` (seconds 0)
 * where the server closed the connection before its identification.
 * @param open returns a connected stream to the host; called again where the server closed the connection during a
 * question
 */
export async function connectHop(
  hop: SshHop,
  asker: Asker,
  services: ConnectionServices,
  open: () => Promise<Duplex>,
  signal?: AbortSignal,
): Promise<Connected> {
  const login = await createLogin(hop, asker, services, signal);
  // OpenSSH waits two minutes for a login: a user may need longer, and the answer is used for the next connection.
  try {
    return await connectWith(login, hop, asker, services, open, signal);
  } finally {
    login.settled();
  }
}

async function connectWith(
  login: Login,
  hop: SshHop,
  asker: Asker,
  services: ConnectionServices,
  open: () => Promise<Duplex>,
  signal: AbortSignal | undefined,
): Promise<Connected> {
  for (let attempt = 0; ; attempt += 1) {
    throwIfAborted(signal);
    const knowledge =
      hop.pinnedHostKey === undefined ? await services.trust.look(hop) : pinned(hop, hop.pinnedHostKey);
    try {
      const connected = await handshake({ hop, asker, services, signal, login, knowledge, open });
      await login.proven();
      return connected;
    } catch (error) {
      if (error instanceof WeakAlgorithmsNeeded && hop.pinnedHostKey === undefined && attempt < maxAttempts)
        await askForWeak(error, hop, asker, services, signal);
      else if (error instanceof WeakAlgorithmsNeeded) throw error.refused;
      else if (error instanceof HungUpMeanwhile) await error.answered;
      else throw error;
      if (attempt >= maxAttempts) throw new RinglabError('login_cut', { host: hop.host }, { cause: error });
    }
  }
}

/** Weak algorithms need the user's permission, which is stored for this host. */
async function askForWeak(
  { algorithms, refused }: WeakAlgorithmsNeeded,
  hop: SshHop,
  asker: Asker,
  services: ConnectionServices,
  signal: AbortSignal | undefined,
): Promise<void> {
  const question: Question = {
    ...asker,
    kind: 'weak-algorithms',
    host: hop.host,
    algorithms: [...algorithms],
  };
  const answer = await services.prompter.ask(question, signal);
  if (answer.kind !== 'accept') throw refused;
  await services.trust.allowWeak(
    hop,
    algorithms.map(({ name }) => name),
  );
}

async function handshake(attempt: Attempt): Promise<Connected> {
  const { hop, services, signal, login, knowledge } = attempt;
  const { timing } = services;
  const { host, port } = hop;
  const socket = await attempt.open();
  const client = new ssh2.Client();
  const algorithms = offerFor(knowledge.keyTypes, knowledge.allowedWeak);
  let agreed = false;
  /** The server's first bytes: an identification, or an error message. */
  let firstWords = '';
  let question: Promise<unknown> | undefined;
  /** The connection is closed; the error message is being prepared. */
  let isExplaining = false;

  let hostKey = '';

  return await new Promise<Connected>((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      deadline.stop();
      signal?.removeEventListener('abort', onAbort);
      outcome();
    };
    let over = false;
    const fail = (error: unknown): void => {
      if (over) return;
      over = true;
      settle(() => {
        reject(error instanceof Error ? error : new Error(String(error)));
        client.on('error', () => undefined);
        client.destroy();
        socket.destroy();
      });
    };
    const onAbort = (): void => fail(new RinglabError('cancelled'));
    let isLoggingIn = false;
    const deadline = createDeadline(timing.handshakeMs, () => {
      const [code, ms] = isLoggingIn
        ? (['login_timeout', timing.loginMs] as const)
        : (['handshake_timeout', timing.handshakeMs] as const);
      fail(new RinglabError(code, { host, port, seconds: Math.round(ms / 1000) }));
    });
    const asking = <T>(work: Promise<T>): Promise<T> => {
      question = work.catch(() => undefined);
      const asked = question;
      return deadline.pause(work).finally(() => {
        if (question === asked) question = undefined;
      });
    };
    const hungUp = (error?: Error): void => {
      const fault = guardConnection(client).fault();
      if (fault !== undefined) fail(fault);
      else if (question !== undefined) fail(new HungUpMeanwhile(question));
      else if (!agreed && !firstWords.includes('SSH-')) fail(refusedEarly(host, port, firstWords, error));
      else fail(new RinglabError('login_cut', { host }, { detail: error?.message, cause: error }));
    };

    socket.once('data', (data: Buffer) => {
      firstWords = data.toString('latin1').slice(0, 200);
    });
    client.once('handshake', () => {
      agreed = true;
    });
    client.on('error', (error: Error & { level?: string }) => {
      // After these errors ssh2 tries the next method by itself.
      if (error.level === 'agent' || isExplaining) return;
      // ssh2 cannot parse a disconnect message before the key is accepted: whatever its error, the server closed the
      // connection.
      if (question !== undefined) hungUp(error);
      else if (/no matching/.test(error.message)) {
        isExplaining = true;
        void explainMismatch(attempt, error.message, algorithms).then(fail, fail);
      } else if (/too many authentication failures/i.test(error.message)) {
        const code = login.method === 'agent' ? 'auth_too_many' : 'auth_failed';
        fail(
          new RinglabError(
            code,
            { host, user: hop.user, method: login.method },
            { detail: linesOf([error.message, login.certificates() ?? '']) },
          ),
        );
      } else if (error.level === 'protocol' || error.level === 'client-socket' || agreed) {
        hungUp(error);
      } else {
        fail(new RinglabError('host_unreachable', { host, port, reason: error.message }, { cause: error }));
      }
    });
    client.once('close', () => {
      if (!isExplaining) hungUp();
    });
    client.on('change password', () =>
      fail(
        new RinglabError(
          'auth_failed',
          { host, user: hop.user, method: 'password' },
          { detail: phrase('reasons.login.oldPassword') },
        ),
      ),
    );
    client.once('ready', () => {
      if (over) return;
      over = true;
      keepWhileDataArrives(client, socket, timing.keepaliveMs);
      settle(() => resolve({ client, hostKey }));
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) {
      onAbort();
      return;
    }

    const sequence: AuthSequence = login.begin(fail, asking);
    let trusted: Buffer | undefined;
    let certificate: SshCertificate | undefined;
    client.connect({
      sock: socket,
      username: hop.user,
      // Our own time-out stops while the user is asked; ssh2's does not.
      readyTimeout: 0,
      keepaliveInterval: timing.keepaliveMs,
      keepaliveCountMax: timing.keepaliveMissed,
      algorithms,
      hostVerifier: (key: Buffer, verify: (valid: boolean) => void) => {
        // A copy: ssh2 reuses the buffer.
        const offered = Buffer.from(key);
        // Keys are exchanged again from time to time; the user is not asked again about the same key.
        if (trusted?.equals(offered) === true) {
          verify(true);
          return;
        }
        checkHostKey(attempt, offered, certificate, asking).then(
          () => {
            trusted = offered;
            hostKey = fingerprintOf(offered);
            // ssh2 has freed its objects if the connection was closed meanwhile.
            if (!over) verify(true);
          },
          // The connection is closed, so no answer about the key is needed.
          fail,
        );
      },
      authHandler: (methodsLeft, partial, next) => {
        // ssh2's types omit that the lists are null before the server's first answer.
        const accepted = (methodsLeft as readonly string[] | null) ?? undefined;
        isLoggingIn = true;
        deadline.restart(timing.loginMs);
        sequence.next(accepted, partial).then((method) => {
          if (!over) next(method);
        }, fail);
      },
    });
    guardConnection(client);
    // The server's first bytes arrive later than this.
    if (knowledge.hasAuthority)
      askForHostCertificate(client, (shown) => {
        certificate = shown;
      });
    teachUserKeys(client, () => {
      const isAllowed = knowledge.allowedWeak.includes(weakUserSignature.name);
      const refused = new RinglabError(
        'auth_failed',
        { host, user: hop.user, method: login.method },
        { detail: phrase('reasons.login.sha1') },
      );
      if (!isAllowed) fail(new WeakAlgorithmsNeeded([weakUserSignature], refused));
      return isAllowed;
    });
  });
}
