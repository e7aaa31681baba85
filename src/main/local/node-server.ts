/** A local node: one of the app's own SSH servers on the loopback, which accepts only the app's key. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import type { ServerChannel, Session } from 'ssh2';
import { RinglabError } from '../../shared/base/errors.ts';
import type { TerminalSize } from '../../shared/node/terminal.ts';
import { startAppServer, type AppServer } from './app-server.ts';
import { runCommand, signalNamed, type NodeEnvironment } from './commands.ts';
import { keepKey } from './keys.ts';
import { serveSftp } from './sftp-server.ts';
import { hasTerminals, runInTerminal, type LocalTerminal } from './terminal.ts';

/** sshd's default PATH, and the folders of macOS package managers. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin';

export interface NodeServer extends AppServer {
  readonly home: string;
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
  const environment: NodeEnvironment = { home, user: 'ringlab', path: searchPath };

  const server = await startAppServer(key, allowed, (session) =>
    serveSession(session, environment, nodeName),
  );
  return { ...server, home };
}
