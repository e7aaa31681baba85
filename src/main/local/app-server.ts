/** An SSH server of the app's own on the loopback, which accepts only the app's key: behind it is a local node, or a pod. */
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection, type Session } from 'ssh2';
import { RinglabError } from '../../shared/base/errors.ts';
import type { AppKey } from './keys.ts';

const host = '127.0.0.1';
const user = 'ringlab';
/** Maximum number of concurrent connections. */
const maxConnections = 32;
const loginWithinMs = 30_000;

export interface AppServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Base64 of the public host key, for the client to verify. */
  readonly hostKey: string;
  /** Ends the connections, which may be made again. */
  disconnect(): void;
  /** Closes every connection; processes that left their session (setsid) continue. */
  close(): Promise<void>;
}

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

/** Accepts exactly one public key, proven by its signature. */
function authenticate(context: AuthContext, user: string, allowed: Buffer): void {
  if (context.method !== 'publickey' || context.username !== user || !isSame(context.key.data, allowed)) {
    context.reject(['publickey']);
    return;
  }
  // Without a signature the client only asks whether the key is acceptable.
  if (context.signature === undefined) {
    context.accept();
    return;
  }
  const key = ssh2.utils.parseKey(context.key.data);
  const isProven =
    !(key instanceof Error) &&
    context.blob !== undefined &&
    // ssh2 gives an Error, which is truthy, for a signature it cannot read; its types say boolean.
    // oxlint-disable-next-line typescript/no-unnecessary-boolean-literal-compare
    key.verify(context.blob, context.signature, context.hashAlgo) === true;
  if (isProven) context.accept();
  else context.reject(['publickey']);
}

/**
 * Starts on a free loopback port.
 * @param key the host key
 * @param allowed the public key that it accepts
 * @param serve serves one session: a command, a shell, files
 */
export async function startAppServer(
  key: AppKey,
  allowed: Buffer,
  serve: (session: Session) => void,
): Promise<AppServer> {
  const server = new ssh2.Server({ hostKeys: [key.private], ident: 'ringlab' }, (connection: Connection) => {
    const timer = setTimeout(() => connection.end(), loginWithinMs);
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => authenticate(context, user, allowed));
    connection.on('ready', () => clearTimeout(timer));
    connection.on('close', () => clearTimeout(timer));
    connection.on('session', (accept) => serve(accept()));
  });
  // Our own listener, for what ssh2's omits: no delay of small messages, and a limit.
  const sockets = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    server.injectSocket(socket);
  });
  listener.maxConnections = maxConnections;
  listener.listen(0, host);
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') {
    throw new RinglabError('internal', {}, { detail: 'the local server has no port' });
  }
  const disconnect = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    host,
    port: address.port,
    user,
    hostKey: key.public.toString('base64'),
    disconnect,
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      disconnect();
      await closed;
    },
  };
}
