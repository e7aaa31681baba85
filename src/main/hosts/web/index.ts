/** The web host: serves the app to a browser on this computer, over HTTP and one WebSocket, on the loopback only. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { pageLanguage } from './page-language.ts';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import type { ServerTransport } from '../../../shared/contract/rpc.ts';
import {
  readProofProtocol,
  sessionPaths,
  socketProtocol,
  type Welcome,
} from '../../../shared/contract/web-session.ts';
import { createCodes, makeCode, openedCodeMs } from './codes.ts';
import { createDownloads, type Downloads } from './downloads.ts';
import { cookieFor, createEntry, hasCookie } from './entry.ts';
import { createGuard } from './guard.ts';
import { keepBeating, silentMs } from './heartbeat.ts';
import { addressFor, findHost, removeHostFile, writeHostFile } from './host-file.ts';
import { createSessions, newSecret } from './sessions.ts';
import { socketTransport } from './socket.ts';
import { readStaticFiles, securityHeaders, serveStatic } from './static-files.ts';
import { openTickets } from './tickets.ts';

/** Maximum length of a message; rpc's largest, a file to be saved, is smaller. */
const maxMessageBytes = 64 * 1024 * 1024;
/** Maximum number of unauthenticated connections; beyond it the oldest is closed. */
const maxStrangers = 128;
/** Maximum number of open windows: each may have a message of that size in progress. */
const maxSockets = 64;

export interface WebHost {
  readonly port: number;
  /** A new address that opens the window once, within a few minutes. */
  address(lifetimeMs?: number): string;
  /** Called with the code when a page has connected with one; returns a function that unsubscribes. */
  onEntered(listener: (code: string) => void): () => void;
  /** The number of pages that are connected now. */
  windows(): number;
  close(): Promise<void>;
}

export interface WebHostOptions {
  /** 0: any free port. */
  readonly port: number;
  /** The folder of the built renderer. */
  readonly rendererFolder: string;
  readonly downloads: Downloads;
  /** Contains the host file and the tickets of open tabs; private to the user. */
  readonly dataFolder: string;
  serve(transport: ServerTransport): void;
  /** Refused requests, for the log. */
  onRefused?(error: RinglabError): void;
  /** The Vite dev server's origin while developing: `http://127.0.0.1:5173`. */
  readonly devOrigin?: string | undefined;
  readonly now?: () => number;
  /** Of the heartbeat. */
  readonly clock?: Pick<Clock, 'after'>;
}

export { addressFor, createDownloads, findHost };

/**
 * Rejects with `port_taken`, with `file_unwritable` where the port cannot be had for another reason or the host file cannot be
 * written, and with `local_disk_full`.
 */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const now = options.now ?? Date.now;
  const tickets = await openTickets(options.dataFolder, now);
  const files = readStaticFiles(options.rendererFolder);
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 });
  const port = await listen(server, options.port);
  const guard = createGuard(port, options.devOrigin);
  const file = { version: 1 as const, port, origin: guard.origin, key: newSecret(32) };
  const sessions = createSessions(file, tickets, now);
  const cookie = cookieFor(port, newSecret(32));
  const refused = (error: unknown): void =>
    options.onRefused?.(error instanceof RinglabError ? error : new RinglabError('internal'));
  const enteredListeners = new Set<(code: string) => void>();
  const entry = createEntry({
    codes: createCodes(file.key, guard.origin, now),
    sessions,
    cookie,
    now,
    onEntered: (code) => {
      for (const notify of [...enteredListeners]) notify(code);
    },
    onRefused: refused,
  });

  const answer = (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split(/[?#]/, 1)[0] ?? '/';
    if (request.method === 'POST' && (path === sessionPaths.exchange || path === sessionPaths.challenge))
      return entry.serve(path, guard.checkPage(request.headers), request, response);
    guard.checkPlace(request.headers);
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new RinglabError('malformed_message');
    const language = pageLanguage(request.headers['accept-language']);
    if (!path.startsWith(sessionPaths.download))
      return files.then((read) => serveStatic(read, path, request, response, language));
    if (!hasCookie(request.headers.cookie, cookie)) throw new RinglabError('token_refused');
    return options.downloads.serve(path.slice(sessionPaths.download.length), response, language);
  };
  server.on('request', (request, response) => {
    try {
      answer(request, response).catch(() => response.destroy());
    } catch (error) {
      refused(error);
      const language = pageLanguage(request.headers['accept-language']);
      const { message, hint } = describeError(toWireError(error), language);
      response.writeHead(403, { ...securityHeaders, 'Content-Type': 'text/plain; charset=utf-8' });
      response.end(`${message}\n${hint}\n`);
    }
  });

  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    handleProtocols: (offered) => (offered.has(socketProtocol) ? socketProtocol : false),
  });
  /** The host's first message to an authenticated page, and the page's ticket. Throws where the page is refused. */
  const admit = (request: IncomingMessage): { readonly welcome: Welcome; readonly session: string } => {
    const origin = guard.checkPage({ host: request.headers.host, origin: request.headers.origin });
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
    const proof = readProofProtocol(offered);
    const known = hasCookie(request.headers.cookie, cookie);
    const path = (request.url ?? '').split('?', 1)[0];
    const proven =
      proof === undefined || path !== sessionPaths.socket ? undefined : sessions.prove(proof, origin, known);
    if (proof === undefined || proven === undefined) throw new RinglabError('token_refused');
    const ticket = proven.byTicket ? undefined : { session: newSecret(16), key: newSecret(32) };
    if (ticket !== undefined) tickets.add(ticket, origin);
    const welcome: Welcome = {
      type: 'welcome',
      proof: proven.welcome,
      silentMs,
      ...(ticket === undefined ? {} : { ticket }),
      ...(known ? {} : { code: makeCode(file.key, guard.origin, openedCodeMs, now()) }),
    };
    return { welcome, session: (ticket ?? proof).session };
  };
  /** Ends the use of each connected page's ticket. */
  const pages = new Set<() => void>();
  const strangers = new Set<Socket>();
  server.on('connection', (socket) => {
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket));
    // Closed like a network failure, so that a browser retries.
    const [oldest] = strangers;
    if (strangers.size > maxStrangers) oldest?.destroy();
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head) => {
    // Node has removed its own listener: an unhandled reset would crash the app.
    socket.on('error', () => socket.destroy());
    let admitted: ReturnType<typeof admit>;
    try {
      if (sockets.clients.size >= maxSockets) throw new RinglabError('token_refused');
      admitted = admit(request);
    } catch (error) {
      refused(error);
      // The client may keep its half open: destroy it.
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () =>
        socket.destroy(),
      );
      return;
    }
    strangers.delete(socket);
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.send(JSON.stringify(admitted.welcome));
      const leave = tickets.connected(admitted.session);
      pages.add(leave);
      client.once('close', () => {
        leave();
        pages.delete(leave);
      });
      options.serve(socketTransport(client));
      keepBeating(client, socket, options.clock);
    });
  });

  await writeHostFile(options.dataFolder, file).catch(async (error: unknown) => {
    server.closeAllConnections();
    await ended(server);
    throw error;
  });
  return {
    port,
    address: (lifetimeMs) => addressFor(file, lifetimeMs),
    onEntered(listener) {
      enteredListeners.add(listener);
      return () => enteredListeners.delete(listener);
    },
    windows: () => sockets.clients.size,
    async close() {
      await removeHostFile(options.dataFolder, file.key).catch(() => undefined);
      for (const leave of pages) leave();
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await ended(server);
      await tickets.settled();
    },
  };
}

const ended = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

async function listen(server: Server, wanted: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        'code' in error && error.code === 'EADDRINUSE'
          ? new RinglabError('port_taken', { port: wanted }, { cause: error })
          : new RinglabError(
              'file_unwritable',
              { path: `127.0.0.1:${wanted}`, reason: error.message },
              { cause: error },
            ),
      ),
    );
    server.listen(wanted, '127.0.0.1', resolve);
  });
  // A server that listens on TCP has an AddressInfo, not a pipe's name.
  return (server.address() as AddressInfo).port;
}
