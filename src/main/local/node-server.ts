/** A local node: one of the app's own SSH servers on the loopback, which accepts only the app's key. */
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import ssh2, { type AuthContext, type Connection, type ServerChannel, type Session } from 'ssh2';
import { RinglabError } from '../../shared/base/errors.ts';
import type { TerminalSize } from '../../shared/node/terminal.ts';
import { runCommand, signalNamed, type NodeEnvironment } from './commands.ts';
import { keepKey } from './keys.ts';
import { serveSftp } from './sftp-server.ts';
import { hasTerminals, runInTerminal, type LocalTerminal } from './terminal.ts';

const host = '127.0.0.1';
/** Maximum number of concurrent connections. */
const maxConnections = 32;
const loginWithinMs = 30_000;
/** sshd's default PATH, and the folders of macOS package managers. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin';

export interface NodeServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Base64 of the public host key, for the client to verify. */
  readonly hostKey: string;
  readonly home: string;
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

function serveSession(
  session: Session,
  environment: NodeEnvironment,
  nodeName: () => string | undefined,
): void {
  let child: ChildProcess | undefined;
  let size: TerminalSize | undefined;
  let terminal: LocalTerminal | undefined;
  const start = (channel: ServerChannel, command: string | undefined): void => {
    if (size === undefined) {
      child = runCommand(
        channel,
        command === undefined ? ['/bin/sh', '-l'] : ['/bin/sh', '-c', command],
        environment,
      );
      return;
    }
    terminal = runInTerminal(channel, command, size, environment, nodeName());
    child = terminal.child;
  };
  session.on('exec', (accept, _reject, { command }) => start(accept(), command));
  session.on('shell', (accept) => start(accept(), undefined));
  session.on('sftp', (accept) => serveSftp(accept(), environment.home));
  session.on('signal', (accept, _reject, { name }) => {
    // A signal has no reply (RFC 4254, 6.9), and ssh2 then provides no way to send one.
    (accept as (() => void) | undefined)?.();
    if (child !== undefined) signalNamed(child, name);
  });
  session.on('pty', (accept, reject, { cols, rows }) => {
    if (!hasTerminals()) {
      // The client may not want a reply; ssh2 then provides no way to send one.
      (reject as (() => void) | undefined)?.();
      return;
    }
    size = { columns: cols, rows };
    (accept as (() => void) | undefined)?.();
  });
  session.on('window-change', (accept, _reject, { cols, rows }) => {
    (accept as (() => void) | undefined)?.();
    size = { columns: cols, rows };
    terminal?.resize(size);
  });
  // The client may not set environment variables.
  session.on('env', (_accept, reject) => (reject as (() => void) | undefined)?.());
}

/**
 * Starts a node's server on a free loopback port; `folder` contains its host key and its home. Throws
 * `file_unwritable` or `file_unreadable` for the folder, `node_unsupported` without a POSIX shell.
 * @param allowed the public key that it accepts
 * @param nodeName the node's name as it is drawn now, for the prompts of its terminals
 */
export async function startNodeServer(
  folder: string,
  allowed: Buffer,
  nodeName: () => string | undefined = () => undefined,
): Promise<NodeServer> {
  if (process.platform === 'win32') throw new RinglabError('node_unsupported', { system: 'Windows' });
  const home = join(folder, 'home');
  try {
    await mkdir(home, { recursive: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RinglabError('file_unwritable', { path: home, reason }, { cause: error });
  }
  const key = await keepKey(join(folder, 'host_key'));
  const user = 'ringlab';
  const environment: NodeEnvironment = { home, user, path: searchPath };

  const server = new ssh2.Server({ hostKeys: [key.private], ident: 'ringlab' }, (connection: Connection) => {
    const timer = setTimeout(() => connection.end(), loginWithinMs);
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => authenticate(context, user, allowed));
    connection.on('ready', () => clearTimeout(timer));
    connection.on('close', () => clearTimeout(timer));
    connection.on('session', (accept) => serveSession(accept(), environment, nodeName));
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
  return {
    host,
    port: address.port,
    user,
    hostKey: key.public.toString('base64'),
    home,
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
