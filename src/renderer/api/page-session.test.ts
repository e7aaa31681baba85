// @vitest-environment jsdom
/** The page against the right host, a false host and no host: each test checks what the page sends. */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  readProofProtocol,
  sessionPaths,
  statement,
  type Handshake,
} from '../../shared/contract/web-session.ts';
import { createPageSession, type PageSession } from './page-session.ts';

const origin = 'http://127.0.0.1:4711';
async function signed(
  key: string,
  proof: 'host' | 'page' | 'welcome',
  handshake: Handshake,
): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = new TextEncoder();
  const imported = await crypto.subtle.importKey('raw', bytes.encode(key), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign(algorithm, imported, bytes.encode(statement(proof, handshake)));
  return btoa(String.fromCharCode(...new Uint8Array(signature)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
const json = (value: unknown, status = 200): Response => new Response(JSON.stringify(value), { status });

class FakeSocket {
  onclose: (() => void) | null = null;
  onmessage: ((message: MessageEvent) => void) | null = null;
  readonly protocols: string[];
  readonly sent: string[] = [];
  constructor(protocols: string[]) {
    this.protocols = protocols;
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.onclose?.();
  }
}

type Start = 'first' | 'second';
/** What listens on the port from the next connection on. */
let next: typeof listener | undefined;
/** What listens on the port. */
let listener: Start | 'impostor' | 'nobody' | 'cut';
let handshake: Handshake | undefined;
/** What the host says in its welcome, and what the page has told its transport. */
let silentMs: number | undefined;
let told: number | undefined;
let asked: { path: string; body: string; credentials: string | undefined }[];
let sockets: FakeSocket[];
let keys: Record<Start, Map<string, string>>;

beforeEach(() => {
  window.sessionStorage.clear();
  listener = 'first';
  next = undefined;
  handshake = undefined;
  asked = [];
  sockets = [];
  keys = { first: new Map(), second: new Map() };
});

const answer = async (path: string, body: Record<string, string>): Promise<Response> => {
  if (listener === 'nobody') throw new TypeError('Failed to fetch');
  if (listener === 'cut') {
    const body = new ReadableStream({ pull: (stream) => stream.error(new TypeError('network error')) });
    return new Response(body);
  }
  if (listener === 'impostor') return json({ nonce: 'n'.repeat(32), proof: 'p'.repeat(43) });
  if (path === sessionPaths.exchange) {
    if (body.code !== listener) return json({}, 401);
    keys[listener].set(`session-${listener}`, 'k'.repeat(43));
    return json({ session: `session-${listener}`, key: 'k'.repeat(43) });
  }
  const key = keys[listener].get(body.session ?? '');
  if (key === undefined) return json({}, 401);
  handshake = { origin, session: body.session!, pageNonce: body.nonce!, hostNonce: 'h'.repeat(32) };
  return json({ nonce: handshake.hostNonce, proof: await signed(key, 'host', handshake) });
};
const openPage = (): PageSession =>
  createPageSession({
    location: { origin },
    sessionStorage: window.sessionStorage,
    fetch: (path, init) => {
      const body = typeof init.body === 'string' ? init.body : '';
      asked.push({ path, body, credentials: init.credentials });
      return answer(path, JSON.parse(body) as Record<string, string>);
    },
    openSocket: (_address, protocols) => {
      const socket = new FakeSocket(protocols);
      listener = next ?? listener;
      sockets.push(socket);
      // As much of a WebSocket as the page uses.
      return socket as unknown as WebSocket;
    },
    keepsTicket: false,
  });

/** Resolves when the page has opened the socket or given up. */
async function attempt(page: PageSession): Promise<string> {
  const before = sockets.length;
  const socket = page.connect();
  return new Promise((resolve) => {
    socket.onopen = (longest) => {
      told = longest;
      resolve('open');
    };
    socket.onclose = (problem) => resolve(problem ?? 'lost');
    const wait = setInterval(() => {
      const real = sockets[before];
      if (typeof real?.onmessage !== 'function') return;
      clearInterval(wait);
      void welcome(real);
    }, 1);
  });
}

/** The first message that the host receives once the page has opened a socket. */
async function welcome(socket: FakeSocket): Promise<void> {
  if (handshake === undefined || listener === 'nobody') throw new Error('there was no handshake');
  const key =
    listener === 'impostor' || listener === 'cut' ? 'x' : (keys[listener].get(handshake.session) ?? '');
  if (listener !== 'impostor')
    expect(readProofProtocol(socket.protocols)?.proof).toBe(await signed(key, 'page', handshake));
  const ticket = { session: 'ticket-1', key: 't'.repeat(43) };
  for (const known of Object.values(keys)) known.set(ticket.session, ticket.key);
  const message = { type: 'welcome', proof: await signed(key, 'welcome', handshake), ticket, silentMs };
  socket.onmessage?.(new MessageEvent('message', { data: JSON.stringify(message) }));
}

describe('a page', () => {
  it('hears from the host how long it is silent at most', async () => {
    const page = openPage();
    page.offer('first');
    silentMs = 60_000;
    expect(await attempt(page)).toBe('open');
    expect(told).toBe(60_000);
    // Hosts of earlier versions do not say.
    silentMs = undefined;
    expect(await attempt(openPage())).toBe('open');
    expect(told).toBeUndefined();
  });

  it('logs in with a code, and after a reload with the tab’s stored session', async () => {
    const page = openPage();
    page.offer('first');
    expect(await attempt(page)).toBe('open');
    expect(await attempt(openPage())).toBe('open');
    expect(asked.map(({ path }) => path)).toEqual([
      sessionPaths.exchange,
      sessionPaths.challenge,
      sessionPaths.challenge,
    ]);
  });

  it('exchanges its code again after a reload before the answer, as the same tab', async () => {
    const page = openPage();
    page.offer('first');
    // The answer is lost, whole or in part: the page is reloaded, or the connection ends.
    listener = 'nobody';
    expect(await attempt(page)).toBe('lost');
    listener = 'cut';
    expect(await attempt(page)).toBe('lost');
    listener = 'first';
    expect(await attempt(openPage())).toBe('open');
    const [before, again] = asked.filter(({ path }) => path === sessionPaths.exchange);
    expect(again?.body).toBe(before?.body);
    expect(JSON.parse(again?.body ?? '')).toMatchObject({
      tab: expect.stringMatching(/^[\w-]{32}$/) as unknown,
    });
    expect(JSON.stringify(window.sessionStorage)).not.toContain('offered');
  });

  it('recognises the restarted host by its ticket, which is only in its memory', async () => {
    const page = openPage();
    page.offer('first');
    await attempt(page);
    listener = 'nobody';
    expect(await attempt(page)).toBe('lost');
    listener = 'second';
    expect(await attempt(page)).toBe('open');
    const kept = [window.sessionStorage, window.localStorage].map((storage) => JSON.stringify(storage));
    expect(kept.join()).toContain('k'.repeat(43));
    expect(kept.join()).not.toContain('t'.repeat(43));
    // After a reload the page has only the credentials of the first start, which are no longer valid.
    expect(await attempt(openPage())).toBe('locked');
    expect(await attempt(openPage())).toBe('locked');
    expect(window.sessionStorage.length).toBe(0);
  });

  it('finding 2: sends nothing but a name and a nonce to an impostor on the port, and no cookie', async () => {
    const page = openPage();
    page.offer('first');
    await attempt(page);
    listener = 'impostor';
    const before = asked.length;
    expect(await attempt(page)).toBe('stranger');
    const seen = asked.slice(before);
    expect(seen.map(({ credentials }) => credentials)).toEqual(seen.map(() => 'omit'));
    for (const { path, body } of seen) {
      expect(path).toBe(sessionPaths.challenge);
      expect(Object.keys(JSON.parse(body) as object).sort()).toEqual(['nonce', 'session']);
      expect(body).not.toMatch(/k{43}|t{43}/);
    }
    expect(sockets).toHaveLength(1);
  });

  it('finding 2: sends nothing over a socket whose first message is not the real host’s', async () => {
    const page = openPage();
    page.offer('first');
    // Another program takes the port between the host's proof and the socket.
    next = 'impostor';
    expect(await attempt(page)).toBe('stranger');
    expect(sockets[0]?.sent).toEqual([]);
  });

  it('is locked without a code, and sends no request', async () => {
    expect(await attempt(openPage())).toBe('locked');
    expect(asked).toEqual([]);
  });
});
