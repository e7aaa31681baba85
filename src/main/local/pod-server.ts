/**
 * A pod as a machine that is reached over SSH, as a local node is: one of the app's own SSH servers on the loopback, of which
 * each channel is a command in the pod. It has no files (SFTP) and no forwarded ports: sessions do without.
 */
import { join } from 'node:path';
import type { ServerChannel, Session } from 'ssh2';
import { toWireError } from '../../shared/base/errors.ts';
import type { TerminalSize } from '../../shared/node/terminal.ts';
import type { PodProcess } from '../kubernetes/index.ts';
import { startAppServer, type AppServer } from './app-server.ts';
import { keepKey } from './keys.ts';

export interface PodServerOptions {
  /** For its host key. */
  readonly folder: string;
  /** The public key that it accepts. */
  readonly allowed: Buffer;
  open(command: readonly string[], terminal: TerminalSize | undefined): Promise<PodProcess>;
}

/** Throws `file_unwritable` or `file_unreadable` for the folder. */
export async function startPodServer({ folder, allowed, open }: PodServerOptions): Promise<AppServer> {
  const key = await keepKey(join(folder, 'host_key'));
  const server: AppServer = await startAppServer(key, allowed, (session) =>
    serveSession(session, open, () => server.disconnect()),
  );
  return server;
}

function serveSession(session: Session, open: PodServerOptions['open'], onLost: () => void): void {
  let size: TerminalSize | undefined;
  let running: PodProcess | undefined;
  const start = (channel: ServerChannel, command: string | undefined): void => {
    const words = command === undefined ? ['/bin/sh', '-l'] : ['/bin/sh', '-c', command];
    channel.on('error', () => undefined);
    open(words, size).then(
      (process) => {
        running = process;
        connect(channel, process, onLost);
      },
      (error: unknown) => {
        // The connection is made again, and then the cluster's own words are heard.
        channel.stderr.write(`${toWireError(error).detail ?? String(error)}\n`);
        onLost();
      },
    );
  };
  session.on('exec', (accept, _reject, { command }) => start(accept(), command));
  session.on('shell', (accept) => start(accept(), undefined));
  session.on('sftp', (_accept, reject) => reject());
  // Kubernetes passes no signals on: hanging up ends what a command started.
  session.on('signal', (accept) => (accept as (() => void) | undefined)?.());
  session.on('pty', (accept, _reject, { cols, rows }) => {
    size = { columns: cols, rows };
    (accept as (() => void) | undefined)?.();
  });
  session.on('window-change', (accept, _reject, { cols, rows }) => {
    (accept as (() => void) | undefined)?.();
    size = { columns: cols, rows };
    running?.resize(size);
  });
  session.on('env', (_accept, reject) => (reject as (() => void) | undefined)?.());
}

function connect(channel: ServerChannel, process: PodProcess, onLost: () => void): void {
  channel.pipe(process.stdin);
  process.stdin.on('error', () => undefined);
  process.stdout.pipe(channel, { end: false });
  process.stderr.pipe(channel.stderr, { end: false });
  channel.once('close', () => process.close());
  const drained = [process.stdout, process.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.once('close', resolve).once('end', resolve)),
  );
  void process.ended.then(async (code) => {
    if (code === undefined) {
      onLost();
      return;
    }
    await Promise.all(drained);
    channel.exit(code);
    channel.end();
  });
}
