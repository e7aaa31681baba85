/** The web host: the same app for a browser on this computer, over HTTP and one WebSocket, on the loopback alone. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { RinglabError, toWireError } from '../../../shared/errors.ts';
import { describeError } from '../../../shared/error-texts.ts';
import type { ServerTransport } from '../../../shared/rpc.ts';
import { createGuard, loadToken } from './guard.ts';
import { createDownloads, type Downloads } from './downloads.ts';
import { socketTransport } from './socket.ts';
import { securityHeaders, serveStatic } from './static-files.ts';

const protocol = 'ringlab';
const tokenPrefix = 'ringlab.token.';
const mostMessageBytes = 64 * 1024 * 1024;

export interface WebHost {
  readonly port: number;
  /** The address to open: the secret is in the fragment, which browsers do not send. */
  readonly url: string;
  close(): Promise<void>;
}

export interface WebHostOptions {
  /** 0: any free port. */
  readonly port: number;
  /** The folder of the built renderer. */
  readonly rendererFolder: string;
  readonly downloads: Downloads;
  /** Where the secret token is kept between starts. */
  readonly tokenFile: string;
  serve(transport: ServerTransport): void;
  /** Refused requests, for the log. */
  onRefused?(error: RinglabError): void;
  /** The Vite dev server's origin while developing: `http://127.0.0.1:5173`. */
  readonly devOrigin?: string | undefined;
}

export { createDownloads };

/** Rejects with `file_unwritable` where the port is taken. */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const token = await loadToken(options.tokenFile);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: mostMessageBytes,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  });
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split(/[?#]/, 1)[0] ?? '/';
    try {
      guard.checkPlace(request.headers);
      if (request.method !== 'GET' && request.method !== 'HEAD') throw new RinglabError('malformed_message');
    } catch (error) {
      const wire = toWireError(error);
      options.onRefused?.(error instanceof RinglabError ? error : new RinglabError('internal'));
      const { message, hint } = describeError(wire, 'en');
      response.writeHead(403, { ...securityHeaders, 'Content-Type': 'text/plain; charset=utf-8' });
      response.end(`${message}\n${hint}\n`);
      return;
    }
    const download = /^\/download\/([\w-]{1,64})$/.exec(path);
    const served =
      download?.[1] === undefined
        ? serveStatic(options.rendererFolder, path, response)
        : options.downloads.serve(download[1], response);
    served.catch(() => response.destroy());
  });
  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    try {
      guard.checkPlace(request.headers);
      if (request.headers.origin === undefined) throw new RinglabError('origin_refused', { origin: '' });
      const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
      guard.checkToken(offered.find((part) => part.startsWith(tokenPrefix))?.slice(tokenPrefix.length));
    } catch (error) {
      options.onRefused?.(error instanceof RinglabError ? error : new RinglabError('internal'));
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => options.serve(socketTransport(client)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new RinglabError(
          'file_unwritable',
          { path: `127.0.0.1:${options.port}`, reason: error.message },
          { cause: error },
        ),
      ),
    );
    server.listen(options.port, '127.0.0.1', resolve);
  });
  // A server that listens on TCP has an AddressInfo, not a pipe's name.
  const { port } = server.address() as AddressInfo;
  const guard = createGuard(port, token, options.devOrigin === undefined ? [] : [options.devOrigin]);
  return {
    port,
    url: `${options.devOrigin ?? `http://127.0.0.1:${port}`}/#token=${guard.token}`,
    async close() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
