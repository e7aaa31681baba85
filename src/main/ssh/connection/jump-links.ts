/** Connections to jump hosts, shared by the nodes behind them: one login for all. */
import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import { describeError, detailLines } from '../../../shared/i18n/error-texts.ts';
import { isCancelled, RinglabError, toWireError } from '../../../shared/base/errors.ts';
import type { Language } from '../../../shared/base/language.ts';
import type { ConnectionServices } from './attempt.ts';
import { connectHop } from './connection.ts';
import { unlessAborted } from '../../base/abort.ts';
import type { SshHop } from '../contract.ts';
import type { Asker } from '../login/login.ts';
import { loginAddress, type LoginQueue } from '../login/login-queue.ts';
import { openSocket } from './socket.ts';
import { phrase } from '../../i18n/index.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';

interface JumpLink {
  /**
   * Opens a stream to an address as seen from the jump host, within the time for any TCP connection: the jump host itself waits
   * minutes for an address that does not answer. Rejects with `host_unreachable`, `jump_failed` or `cancelled`.
   */
  open(host: string, port: number, signal: AbortSignal | undefined): Promise<Duplex>;
  /** Why the jump host's connection was closed, if it was. */
  lost(): RinglabError | undefined;
  /** Releases the link; the last release closes the connection. */
  release(): void;
}

export interface JumpLinks {
  acquire(hop: SshHop, asker: Asker, signal: AbortSignal | undefined): Promise<JumpLink>;
  close(): void;
}

interface Shared {
  readonly name: string;
  readonly client: Promise<Client>;
  readonly ending: AbortController;
  users: number;
  lost: RinglabError | undefined;
}

const nameOf = (hop: SshHop): string => `${hop.user}@${hop.host}:${hop.port}`;

/** Wraps an error of the hop in one that names the hop. Cancellation and errors of an earlier hop are not wrapped. */
export function jumpFailed(hop: string, error: unknown): unknown {
  if (isCancelled(error) || (error instanceof RinglabError && error.code === 'jump_failed')) return error;
  const wire = toWireError(error);
  const said = (language: Language): string =>
    [describeError(wire, language).message, ...detailLines(wire, language)].join('\n');
  const detail = { en: said('en'), 'zh-CN': said('zh-CN') };
  return new RinglabError('jump_failed', { hop, cause: wire.code }, { detail, cause: error });
}

/** The stream, unless the time passes or the signal fires before; one that opens later is closed at once. */
async function inTime(
  opening: Promise<Duplex>,
  ms: number,
  late: () => RinglabError,
  signal: AbortSignal | undefined,
): Promise<Duplex> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await unlessAborted(Promise.race([opening, passed]), signal);
  } catch (error) {
    opening.then(
      (stream) => stream.destroy(),
      () => undefined, // Nothing was opened.
    );
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** @param logins limits them at a jump host, too: several accounts there are several connections */
export function createJumpLinks(services: ConnectionServices, logins: LoginQueue): JumpLinks {
  const links = new Map<string, Shared>();

  const forget = (key: string, shared: Shared): void => {
    if (links.get(key) === shared) links.delete(key);
  };

  function connect(key: string, hop: SshHop, asker: Asker): Shared {
    const ending = new AbortController();
    const before = hop.jump === undefined ? undefined : acquire(hop.jump, asker, ending.signal);
    const open = async (): Promise<Duplex> =>
      before === undefined
        ? openSocket(hop.host, hop.port, services.timing.connectMs, ending.signal)
        : (await before).open(hop.host, hop.port, ending.signal);
    // Waiting for a turn while holding another cannot lock up: each holds one of a longer chain of jump hosts than it waits for.
    const client = logins
      .take(loginAddress(hop), ending.signal, () => connectHop(hop, asker, services, open, ending.signal))
      .then((made) => made.client);
    let reason = (): RinglabError | undefined => undefined;
    const leave = (): void => {
      before?.then(
        (link) => link.release(),
        () => undefined, // A failed link needs no release.
      );
    };
    before?.then(
      (link) => {
        reason = () => link.lost();
      },
      () => undefined, // The hop's own connection fails, too.
    );
    const shared: Shared = { name: nameOf(hop), client, ending, users: 0, lost: undefined };
    client.then(
      (connected) => {
        let said: string | undefined;
        connected.on('error', (error: Error) => {
          said = error.message;
        });
        connected.once('close', () => {
          shared.lost =
            reason() ??
            new RinglabError(
              'jump_failed',
              { hop: shared.name },
              {
                detail: said ?? phrase('reasons.connectionLost'),
                cause: new RinglabError('connection_lost', { host: hop.host }),
              },
            );
          forget(key, shared);
          leave();
        });
      },
      () => {
        forget(key, shared);
        leave();
      },
    );
    links.set(key, shared);
    return shared;
  }

  async function acquire(hop: SshHop, asker: Asker, signal: AbortSignal | undefined): Promise<JumpLink> {
    const key = JSON.stringify([nameOf(hop), hop.authentication, hop.pinnedHostKey, hop.jump]);
    const shared = links.get(key) ?? connect(key, hop, asker);
    shared.users += 1;
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      shared.users -= 1;
      if (shared.users > 0) return;
      forget(key, shared);
      shared.ending.abort();
      shared.client.then(
        (client) => client.end(),
        () => undefined,
      );
    };
    let client: Client;
    try {
      client = await unlessAborted(shared.client, signal);
    } catch (error) {
      release();
      throw jumpFailed(nameOf(hop), error);
    }
    return {
      release,
      lost: () => shared.lost,
      open: (host, port, wanted) => {
        const unreachable = (reason: string | Phrase, cause?: Error): RinglabError =>
          new RinglabError(
            'host_unreachable',
            { host, port, reason: phrase('reasons.fromHop', { reason, hop: shared.name }) },
            { cause },
          );
        const opening = new Promise<Duplex>((resolve, reject) => {
          const refuse = (error: Error): void => {
            const reason = error.message.replace(/^\(SSH\) Channel open failure: /, '');
            reject(shared.lost ?? unreachable(reason, error));
          };
          try {
            client.forwardOut('127.0.0.1', 0, host, port, (error, stream) => {
              if (error !== undefined) {
                refuse(error);
                return;
              }
              // A half-closed stream is useless; ssh2 would wait for ever.
              stream.once('end', () => stream.destroy());
              resolve(stream);
            });
          } catch (error) {
            refuse(error instanceof Error ? error : new Error(String(error)));
          }
        });
        const late = (): RinglabError => unreachable(phrase('reasons.socket.ETIMEDOUT'));
        return inTime(opening, services.timing.connectMs, late, wanted);
      },
    };
  }

  return {
    acquire,
    close() {
      for (const shared of [...links.values()]) {
        shared.ending.abort();
        shared.client.then(
          (client) => client.end(),
          () => undefined,
        );
      }
      links.clear();
    },
  };
}
