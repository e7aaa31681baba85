/**
 * Protects against servers that violate the protocol in ways that ssh2 does not check: the window size, packet sizes,
 * the rate of key exchanges, unread answers. Such a server could fill the memory or block the event loop; its
 * connection is closed with an error.
 */
import type { Client } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import { phrase } from '../../i18n/index.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';

/** RFC 4253 asks for 32768; known servers grant at least 1 KiB. */
const smallestPacket = 256;
/** Tolerance beyond the granted window. */
const windowSlack = 256 * 1024;
/** Maximum number of key exchanges in a minute. OpenSSH makes one for each gigabyte. */
const maxRekeys = 120;
/** Maximum number of requests from the server in a minute; each costs an answer. */
const maxRequests = 3000;
const minuteMs = 60_000;
/** Maximum number of prompts in one question of the server, and of rounds of questions. */
const maxPrompts = 16;
const maxPromptText = 16 * 1024;
const maxRounds = 60;
/** Maximum number of bytes that the server does not read. Uploads wait for answers at 2 MB. */
const maxUnsent = 64 * 1024 * 1024;
const lookEveryMs = 1000;

export interface ConnectionGuard {
  /** Why the connection was closed, if it was. */
  fault(): RinglabError | undefined;
  /** Closes the connection: its data is invalid. */
  distrust(what: Phrase): RinglabError;
}

interface ChannelInfo {
  readonly incoming: { readonly window: number };
}
type Handler = (protocol: unknown, ...args: readonly unknown[]) => void;
/** The parts of ssh2's client that its types omit; the tests fail for a version without them. */
interface Insides {
  readonly _protocol?: { readonly _handlers?: Record<string, Handler | undefined> };
  readonly _chanMgr?: { get(id: unknown): ChannelInfo | (() => unknown) | undefined };
  readonly _sock?: { readonly writableLength?: number };
}

const guards = new WeakMap<Client, ConnectionGuard>();

/** Counts within a minute. */
function createRate(max: number): () => boolean {
  let since = performance.now();
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - since > minuteMs) {
      since = now;
      count = 0;
    }
    count += 1;
    return count > max;
  };
}

/** The guard of a client that has started to connect; created at the first call. */
export function guardConnection(client: Client): ConnectionGuard {
  const known = guards.get(client);
  if (known !== undefined) return known;
  // Fields that ssh2 has but does not type (see Insides).
  const insides = client as unknown as Insides;
  let fault: RinglabError | undefined;
  const guard: ConnectionGuard = {
    fault: () => fault,
    distrust(what) {
      fault ??= new RinglabError('node_nonsense', { what });
      client.destroy();
      return fault;
    },
  };
  guards.set(client, guard);

  const handlers = insides._protocol?._handlers ?? {};
  /** Checks each message of a kind before ssh2 handles it; an invalid one is dropped. */
  const before = (name: string, look: (args: readonly unknown[]) => Phrase | undefined): void => {
    const handle = handlers[name];
    if (handle === undefined) return;
    handlers[name] = (protocol, ...args) => {
      if (fault !== undefined) return;
      const what = look(args);
      if (what !== undefined) {
        guard.distrust(what);
        return;
      }
      try {
        handle(protocol, ...args);
      } catch (error) {
        // ssh2 keeps reading from the socket: a packet of -1 bytes would be read again with the next piece.
        const reason = error instanceof Error ? error.message : String(error);
        guard.distrust(phrase('reasons.node.protocol', { reason: reason.slice(0, 200) }));
      }
    };
  };
  const overrun = ([id, data]: readonly unknown[]): Phrase | undefined => {
    const channel = insides._chanMgr?.get(id);
    if (typeof channel !== 'object' || !(data instanceof Uint8Array)) return undefined;
    return data.length > channel.incoming.window + windowSlack ? phrase('reasons.node.overrun') : undefined;
  };
  const tooSmall = ([info]: readonly unknown[]): Phrase | undefined => {
    const size =
      typeof info === 'object' && info !== null && 'packetSize' in info ? Number(info.packetSize) : NaN;
    return size >= smallestPacket ? undefined : phrase('reasons.node.packets', { size });
  };
  before('CHANNEL_DATA', overrun);
  before('CHANNEL_EXTENDED_DATA', overrun);
  before('CHANNEL_OPEN_CONFIRMATION', tooSmall);
  before('CHANNEL_OPEN', tooSmall);
  const asksTooOften = createRate(maxRequests);
  before('GLOBAL_REQUEST', () => (asksTooOften() ? phrase('reasons.node.asks') : undefined));
  const questionsTooOften = createRate(maxRounds);
  before('USERAUTH_INFO_REQUEST', ([name, instructions, prompts]) => {
    if (questionsTooOften()) return phrase('reasons.node.asks');
    const texts: readonly unknown[] = Array.isArray(prompts)
      ? prompts.map((one: unknown) =>
          typeof one === 'object' && one !== null && 'prompt' in one ? one.prompt : '',
        )
      : [];
    const length = [name, instructions, ...texts].reduce<number>(
      (sum, text) => sum + (typeof text === 'string' ? text.length : 0),
      0,
    );
    return texts.length > maxPrompts || length > maxPromptText
      ? phrase('reasons.node.questions', { count: texts.length, length })
      : undefined;
  });
  const rekeysTooOften = createRate(maxRekeys);
  client.on('handshake', () => {
    if (rekeysTooOften()) guard.distrust(phrase('reasons.node.rekeys'));
  });
  const timer = setInterval(() => {
    if ((insides._sock?.writableLength ?? 0) > maxUnsent) guard.distrust(phrase('reasons.node.unread'));
  }, lookEveryMs);
  timer.unref();
  client.once('close', () => clearInterval(timer));
  return guard;
}
