/** For tests: the steps with which a page connects to the web host, each of which a test can do wrongly. */
import { createHmac, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { WebSocket } from 'ws';
import {
  ChallengeAnswer,
  proofProtocol,
  SessionKey,
  sessionPaths,
  socketProtocol,
  statement,
  Welcome,
  type Handshake,
} from '../../../../shared/contract/web-session.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Node's fetch does not let a caller set Host; a plain request does. */
export function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: Ask = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

export const originOf = (port: number): string => `http://127.0.0.1:${port}`;
export const codeOf = (address: string): string => new URL(address).hash.replace(/^#code=/, '');

export const postJson = (
  port: number,
  path: string,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  ask(port, path, {
    method: 'POST',
    headers: { Origin: originOf(port), 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(value),
  });

export interface Entered {
  readonly key: SessionKey;
  /** As a browser sends it: `name=value`. */
  readonly cookie: string;
}

/** Exchanges a code. Throws with the status where it is refused. */
export async function enter(port: number, code: string, tab?: string): Promise<Entered> {
  const answer = await postJson(port, sessionPaths.exchange, { code, tab });
  if (answer.status !== 200) throw new Error(String(answer.status));
  return {
    key: SessionKey.parse(JSON.parse(answer.body)),
    cookie: answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
  };
}

const signed = (key: string, proof: 'host' | 'page' | 'welcome', handshake: Handshake): string =>
  createHmac('sha256', key).update(statement(proof, handshake)).digest('base64url');

/** The host's part of a handshake; throws where it is refused or wrong. */
export async function challenge(port: number, { session, key }: SessionKey): Promise<Handshake> {
  const pageNonce = randomBytes(24).toString('base64url');
  const answer = await postJson(port, sessionPaths.challenge, { session, nonce: pageNonce });
  if (answer.status !== 200) throw new Error(String(answer.status));
  const { nonce, proof } = ChallengeAnswer.parse(JSON.parse(answer.body));
  const handshake = { origin: originOf(port), session, pageNonce, hostNonce: nonce };
  if (signed(key, 'host', handshake) !== proof) throw new Error('the host is a stranger');
  return handshake;
}

export interface Connected {
  readonly socket: WebSocket;
  readonly welcome: Welcome;
}

/** Opens the socket with a proof. Rejects with `403` in its message where it is refused. */
export function openSocket(
  port: number,
  protocols: readonly string[],
  headers: Readonly<Record<string, string>>,
  path: string = sessionPaths.socket,
): Promise<Connected> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols], { headers });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('message', (data: Buffer) => {
      socket.off('error', reject);
      resolve({ socket, welcome: Welcome.parse(JSON.parse(data.toString('utf8'))) });
    });
  });
}

export const proofOf = (key: string, handshake: Handshake): string =>
  proofProtocol({ ...handshake, proof: signed(key, 'page', handshake) });

/** All steps, as the page does. */
export async function connect(port: number, key: SessionKey, cookie?: string): Promise<Connected> {
  const handshake = await challenge(port, key);
  const connected = await openSocket(port, [socketProtocol, proofOf(key.key, handshake)], {
    Origin: originOf(port),
    ...(cookie === undefined ? {} : { Cookie: cookie }),
  });
  if (connected.welcome.proof !== signed(key.key, 'welcome', handshake)) throw new Error('a false welcome');
  return connected;
}
