/**
 * The page's side of the web session (src/shared/contract/web-session.ts). Until the program that listens on the port has proved
 * that it is the host of this session, the page sends it only a name and a nonce.
 */
import * as z from 'zod';
import {
  ChallengeAnswer,
  proofProtocol,
  SessionKey,
  sessionPaths,
  socketProtocol,
  statement,
  Welcome,
  type Handshake,
} from '../../shared/contract/web-session.ts';
import type { Socket } from './socket.ts';
import type { WireProblem } from '../../shared/contract/wire-status.ts';

/** The parts of a browser's window that are used. */
export interface SessionPage {
  readonly location: { readonly origin: string };
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  readonly openSocket: (address: string, protocols: string[]) => WebSocket;
  /** The dev server reloads the page while the host restarts: its ticket must survive the reload. */
  readonly keepsTicket: boolean;
}

interface Session {
  readonly session: string;
  readonly key: CryptoKey;
  /** Valid for one start of the host. It is kept in the tab's storage for reloads. */
  readonly isStored: boolean;
}

/** Expires with the host's start, so a program that takes the port later cannot use it. */
const storedKey = 'ringlab.session';
const ticketKey = 'ringlab.ticket';
/** The code, until the host has answered it: the page may be reloaded before. */
const offeredKey = 'ringlab.offered';
const Offered = z.object({ code: z.string(), tab: z.string() });
type Offered = z.infer<typeof Offered>;

class Refused extends Error {
  readonly problem: WireProblem;
  constructor(problem: WireProblem) {
    super(problem);
    this.problem = problem;
  }
}

const utf8 = new TextEncoder();
const toText = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const randomWord = (): string => toText(crypto.getRandomValues(new Uint8Array(24)));
const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

const algorithm = { name: 'HMAC', hash: 'SHA-256' };
/** From here on no script can read the key. */
const importKey = ({ key }: SessionKey): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', utf8.encode(key), algorithm, false, ['sign', 'verify']);
const sign = async (key: CryptoKey, text: string): Promise<string> =>
  toText(new Uint8Array(await crypto.subtle.sign(algorithm, key, utf8.encode(text))));
const isSigned = async (key: CryptoKey, text: string, proof: string): Promise<boolean> => {
  try {
    return await crypto.subtle.verify(algorithm, key, toBytes(proof), utf8.encode(text));
  } catch {
    // Not valid base64.
    return false;
  }
};
const fromJson = (data: unknown): unknown => {
  try {
    return typeof data === 'string' ? JSON.parse(data) : undefined;
  } catch {
    return undefined;
  }
};

export interface PageSession {
  /** A code from the address: exchanged before the next connection. */
  offer(code: string): void;
  /** Proves the host, then opens a socket to it and proves this page. */
  connect(): Socket;
}

export function createPageSession(page: SessionPage): PageSession {
  const { origin } = page.location;
  let ticket: Session | undefined;

  const post = (path: string, body: unknown, credentials: RequestCredentials): Promise<Response> =>
    page.fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      credentials,
      cache: 'no-store',
      redirect: 'error',
    });
  /** Rejects with `Refused`: `locked` if the host refuses, `stranger` if the answer is not valid. */
  const answerOf = async <T>(response: Response, schema: z.ZodType<T>): Promise<T> => {
    if (response.status === 401 || response.status === 429) throw new Refused('locked');
    // The host of a dev server is restarting. A false host that answers this only causes another attempt.
    if (response.status >= 500) throw new Error('nobody listens');
    // Reading rejects where the connection ends or the page is left in the middle.
    const parsed = schema.safeParse(fromJson(await response.text()));
    if (!response.ok || !parsed.success) throw new Refused('stranger');
    return parsed.data;
  };

  const exchange = async (offered: { readonly code: string; readonly tab?: string }): Promise<void> => {
    const response = await post(sessionPaths.exchange, offered, 'same-origin');
    const session = await answerOf(response, SessionKey);
    page.sessionStorage.setItem(storedKey, JSON.stringify(session));
  };
  const exchangeOffered = async (): Promise<void> => {
    const offered = Offered.safeParse(fromJson(page.sessionStorage.getItem(offeredKey))).data;
    if (offered === undefined) return;
    const refused = await exchange(offered).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof Refused) return error;
        throw error;
      },
    );
    page.sessionStorage.removeItem(offeredKey);
    // `locked`: the code was used already. The tab may have a session: the address was pasted twice.
    if (refused?.problem === 'stranger') throw refused;
  };
  const read = async (key: string): Promise<Session | undefined> => {
    const text = page.sessionStorage.getItem(key);
    if (text === null) return undefined;
    try {
      const kept = SessionKey.parse(JSON.parse(text));
      return { session: kept.session, key: await importKey(kept), isStored: key === storedKey };
    } catch {
      return undefined;
    }
  };
  /** The ticket is tried first: this start and the next one accept it. */
  const sessions = async (): Promise<Session[]> => {
    ticket ??= page.keepsTicket ? await read(ticketKey) : undefined;
    return [ticket, await read(storedKey)].filter((one) => one !== undefined);
  };

  const handshakeBy = async ({ session, key }: Session): Promise<Handshake> => {
    const pageNonce = randomWord();
    // Sends no cookies, since the host is not proved yet.
    const response = await post(sessionPaths.challenge, { session, nonce: pageNonce }, 'omit');
    const answer = await answerOf(response, ChallengeAnswer);
    const handshake = { origin, session, pageNonce, hostNonce: answer.nonce };
    if (!(await isSigned(key, statement('host', handshake), answer.proof))) throw new Refused('stranger');
    return handshake;
  };
  /** Rejects with `Refused`, or with a network error if no program listens. */
  const prove = async (): Promise<{ session: Session; handshake: Handshake }> => {
    await exchangeOffered();
    let refused: Refused | undefined;
    for (const session of await sessions()) {
      try {
        return { session, handshake: await handshakeBy(session) };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        refused = error;
        if (session.isStored && error.problem === 'locked') page.sessionStorage.removeItem(storedKey);
      }
    }
    throw refused ?? new Refused('locked');
  };
  /** Returns the longest time between two of the host's messages. */
  const welcomed = async (
    { session, handshake }: Awaited<ReturnType<typeof prove>>,
    data: unknown,
  ): Promise<number | undefined> => {
    const parsed = Welcome.safeParse(fromJson(data));
    if (!parsed.success || !(await isSigned(session.key, statement('welcome', handshake), parsed.data.proof)))
      throw new Refused('stranger');
    const { ticket: fresh, code: fromHost, silentMs } = parsed.data;
    if (fresh !== undefined) {
      ticket = { session: fresh.session, key: await importKey(fresh), isStored: false };
      if (page.keepsTicket) page.sessionStorage.setItem(ticketKey, JSON.stringify(fresh));
    }
    if (fromHost !== undefined) await exchange({ code: fromHost });
    return silentMs;
  };

  const connect = (): Socket => {
    let real: WebSocket | undefined;
    let closed = false;
    const socket: Socket = {
      onopen: null,
      onclose: null,
      onmessage: null,
      send: (text) => real?.send(text),
      close() {
        closed = true;
        real?.close();
      },
    };
    const end = (problem?: WireProblem): void => {
      if (closed) return;
      closed = true;
      real?.close();
      socket.onclose?.(problem);
    };
    const run = async (): Promise<void> => {
      const proved = await prove();
      if (closed) return;
      const proof = await sign(proved.session.key, statement('page', proved.handshake));
      const { session, hostNonce } = proved.handshake;
      const address = new URL(sessionPaths.socket, origin);
      address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
      real = page.openSocket(address.href, [socketProtocol, proofProtocol({ session, hostNonce, proof })]);
      const waiting: MessageEvent[] = [];
      let state: 'new' | 'welcoming' | 'open' = 'new';
      real.onclose = () => end();
      real.onmessage = (message) => {
        if (state === 'open') socket.onmessage?.(message);
        else if (state === 'welcoming') waiting.push(message);
        else {
          state = 'welcoming';
          welcomed(proved, message.data).then(
            (silentMs) => {
              if (closed) return;
              state = 'open';
              socket.onopen?.(silentMs);
              for (const early of waiting) socket.onmessage?.(early);
            },
            (error: unknown) => end(error instanceof Refused ? error.problem : undefined),
          );
        }
      };
    };
    run().catch((error: unknown) => end(error instanceof Refused ? error.problem : undefined));
    return socket;
  };
  return {
    offer: (code) => {
      const offered: Offered = { code, tab: randomWord() };
      page.sessionStorage.setItem(offeredKey, JSON.stringify(offered));
    },
    connect,
  };
}
