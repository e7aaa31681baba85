/**
 * An HTTP proxy without a port: serves given connections (CONNECT, and plain `http`) for clients with its password.
 * Reaches the internet, but not this computer or its local network (reachable.ts); uses this computer's own proxy
 * where it has one.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ownProxyFor } from '../base/proxy-variables.ts';
import { askProxy, tunnelThrough } from './own-proxy.ts';
import {
  AddressRefused,
  allowedAddresses,
  allowedName,
  bareHost,
  lendable,
  pinned,
  type ReachRule,
} from './reachable.ts';
import { phrase } from '../i18n/index.ts';
import { reasonOf, WordedError } from '../base/reason.ts';
import type { Line } from '../../shared/base/phrase.ts';

interface ProxyCounts {
  /** Bytes to and from the internet, without the proxy's own headers. */
  readonly sent: number;
  readonly received: number;
  /** Open now. */
  readonly connections: number;
}

export interface HttpProxy {
  /** The user and password part of its address. */
  readonly login: string;
  serve(stream: Duplex): void;
  counts(): ProxyCounts;
  /** Reasons of failed requests; the first few. */
  problems(): readonly Line[];
  /** Closes all connections and stops serving. */
  close(): void;
}

export interface HttpProxyOptions {
  readonly onChange?: (counts: ProxyCounts) => void;
  /** Whether an address may be reached; default: `lendable`. */
  readonly allows?: ReachRule;
  /** The proxy for a destination; default: that of this computer's environment. */
  readonly onwards?: typeof ownProxyFor;
}

const connectMs = 20_000;
const max = 64;
const maxProblems = 5;

/** Hop-by-hop headers: RFC 9110, 7.6.1. */
const hopByHop = /^(proxy-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
const passedOn = (message: IncomingMessage): string[] => {
  const headers: string[] = [];
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const name = message.rawHeaders[index] ?? '';
    if (!hopByHop.test(name)) headers.push(name, message.rawHeaders[index + 1] ?? '');
  }
  return headers;
};

export function createHttpProxy({
  onChange,
  allows = lendable,
  onwards = ownProxyFor,
}: HttpProxyOptions = {}): HttpProxy {
  const login = `ringlab:${randomBytes(18).toString('hex')}`;
  const expected = Buffer.from(`Basic ${Buffer.from(login).toString('base64')}`);
  const streams = new Set<Duplex>();
  let [sent, received] = [0, 0];
  let closed = false;
  const counts = (): ProxyCounts => ({ sent, received, connections: streams.size });
  const changed = (): void => onChange?.(counts());
  const up = (chunk: Buffer): void => {
    sent += chunk.length;
    changed();
  };
  const down = (chunk: Buffer): void => {
    received += chunk.length;
    changed();
  };

  const knows = ({ headers }: IncomingMessage): boolean => {
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  const problems: Line[] = [];
  const note = (error: unknown): void => {
    if (problems.length < maxProblems) problems.push(reasonOf(error));
  };
  const reached = async (host: string, port: number): Promise<Socket> => {
    const proxy = onwards('https:', host, port);
    if (proxy === undefined) return opened(host, port, await allowedAddresses(host, port, allows));
    return tunnelThrough(proxy, await allowedName(host, port, allows), port);
  };

  const tunnel = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    const answer = (line: string, more = ''): void => void client.end(`HTTP/1.1 ${line}\r\n${more}\r\n`);
    client.on('error', () => client.destroy());
    if (!knows(request)) {
      answer('407 Proxy Authentication Required', 'Proxy-Authenticate: Basic realm="Ringlab"\r\n');
      return;
    }
    const target = /^(.+):(\d{1,5})$/.exec(request.url ?? '');
    if (target === null) {
      answer('400 Bad Request');
      return;
    }
    let server: Socket;
    try {
      server = await reached(target[1] ?? '', Number(target[2]));
    } catch (error) {
      note(error);
      answer(error instanceof AddressRefused ? '403 Forbidden' : '502 Bad Gateway');
      return;
    }
    server.on('error', () => client.destroy());
    client.on('close', () => server.destroy());
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) {
      up(head);
      server.write(head);
    }
    server.on('data', down);
    client.on('data', up);
    server.pipe(client);
    client.pipe(server);
  };

  const plain = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = (status: number, more: Record<string, string> = {}): void => {
      request.resume();
      response.writeHead(status, more).end();
    };
    if (!knows(request)) {
      answer(407, { 'Proxy-Authenticate': 'Basic realm="Ringlab"' });
      return;
    }
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') {
      answer(400);
      return;
    }
    const port = url.port === '' ? 80 : Number(url.port);
    const path = `${url.pathname}${url.search}`;
    const own = onwards('http:', url.hostname, port);
    let addresses: readonly string[] = [];
    try {
      if (own === undefined) addresses = await allowedAddresses(url.hostname, port, allows);
      else await allowedName(url.hostname, port, allows);
    } catch (error) {
      note(error);
      answer(error instanceof AddressRefused ? 403 : 502);
      return;
    }
    const headers = passedOn(request);
    const onward =
      own === undefined
        ? httpRequest({
            host: bareHost(url.hostname),
            ...pinned(addresses),
            ...{ port, method: request.method, path, headers, agent: false },
          })
        : askProxy(own, request.method ?? 'GET', `http://${url.host}${path}`, headers);
    onward.on('error', note);
    onward.on('error', () => (response.headersSent ? response.destroy() : answer(502)));
    onward.on('response', (from) => {
      response.writeHead(from.statusCode ?? 502, passedOn(from));
      from.on('data', down);
      from.on('error', () => response.destroy());
      from.pipe(response);
    });
    response.on('close', () => onward.destroy());
    request.on('data', up);
    request.pipe(onward);
  };

  const server = createServer((request, response) => {
    plain(request, response).catch(() => response.destroy());
  });
  // A package of a gigabyte over a slow line takes long.
  server.requestTimeout = 0;
  server.on('connect', (request, client, head) => {
    tunnel(request, client, head).catch(() => client.destroy());
  });
  return {
    login,
    counts,
    problems: () => problems,
    serve(stream) {
      stream.on('error', () => stream.destroy());
      if (closed || streams.size >= max) {
        stream.destroy();
        return;
      }
      streams.add(stream);
      stream.on('close', () => {
        streams.delete(stream);
        changed();
      });
      changed();
      // Node's documented way to inject connections that the server has not accepted itself.
      server.emit('connection', stream);
    },
    close() {
      closed = true;
      for (const stream of streams) stream.destroy();
    },
  };
}

function opened(host: string, port: number, addresses: readonly string[]): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: bareHost(host),
      ...pinned(addresses),
      ...{ port, timeout: connectMs, allowHalfOpen: true },
    });
    socket.once('timeout', () => socket.destroy(new WordedError(phrase('reasons.noAnswer'))));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
