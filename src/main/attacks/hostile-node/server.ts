/**
 * For tests: an SSH server that misbehaves in one configured way. Everything else goes to a real shell with its own
 * home, so that it behaves normally until the attacked moment.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import ssh2, { type AuthContext, type Connection, type ServerChannel, type SFTPWrapper } from 'ssh2';
import type { SshTarget } from '../../ssh/index.ts';
import { keyPair } from '../../ssh/testing/sshd.ts';

/** A command as the app sends it (ssh/channels/remote-process.ts): its script, and the marker that ours must print before any output. */
interface HostileCall {
  readonly script: string;
  readonly channel: ServerChannel;
  readonly connection: Connection;
  readonly home: string;
  /** Prints what makes the app believe that the script began. */
  begin(pid?: string): void;
  /** Lets a real shell do it; `alter` may change what it prints. */
  obey(alter?: (text: string) => string): void;
  /** Ends the channel as a server should. */
  end(code?: number): void;
}

/** No process of any machine: the app ends what it hangs up on by its number, and a real shell may do as it is asked. */
const nobody = '99999999';

export interface HostileManner {
  readonly login?: (context: AuthContext) => void;
  /** Right after the login. */
  readonly connected?: (connection: Connection) => void;
  /** True where the manner sees to it; else a real shell does. */
  readonly command?: (call: HostileCall) => boolean;
  /** The socket before a word of SSH: true where nothing more shall happen. */
  readonly socket?: (socket: Socket) => boolean;
  readonly sftp?: (sftp: SFTPWrapper, connection: Connection) => void;
  /** The same without ssh2's own reading: every byte is the manner's. */
  readonly subsystem?: (channel: ServerChannel) => void;
  /** Answers to a request for a channel are held back for ever. */
  readonly neverOpens?: boolean;
  /** In the confirmation of each channel; 32768 by default. */
  readonly packetSize?: number;
}

export interface HostileNode {
  readonly target: SshTarget;
  readonly home: string;
  readonly port: number;
  /** Commands asked for so far. */
  readonly scripts: string[];
  stop(): Promise<void>;
}

/** The methods of ssh2's protocol that its types leave out: what a hostile server is made of. */
export interface RawProtocol {
  channelData(channel: number, data: Buffer): void;
  channelOpenConfirm(remote: number, local: number, window: number, packet: number): void;
  globalRequest?(name: string): void;
  ping(): void;
}
export const rawProtocol = (connection: Connection): RawProtocol =>
  // ssh2 does not type its insides; a hostile server needs them.
  (connection as unknown as { _protocol: RawProtocol })._protocol;
export const channelNumber = (channel: ServerChannel): number =>
  // As above.
  (channel as unknown as { outgoing: { id: number } }).outgoing.id;

/** A stream of `piece` without an end, as fast as the connection takes it, until the channel is gone. */
export function endless(channel: ServerChannel, piece: Buffer): void {
  let gone = false;
  const stop = (): void => {
    gone = true;
  };
  channel.once('close', stop).once('error', stop);
  const more = (): void => {
    let room = true;
    for (let i = 0; i < 16 && room && !gone; i += 1) room = channel.write(piece);
    if (gone) return;
    if (room) setImmediate(more);
    else channel.once('drain', more);
  };
  more();
}

/** What the app's kept shell runs first (ssh/channels/command-shell.ts): its commands come as lines of the same channel. */
const keptShell = 'while IFS= read -r H;do eval "$H"';

function serveKeptShell(
  channel: ServerChannel,
  connection: Connection,
  { home, manner, scripts }: { home: string; manner: HostileManner; scripts: string[] },
  marker: string,
): void {
  channel.write(`${marker}${nobody};`);
  channel.stderr.write(`${marker}${nobody};`);
  let seen = '';
  channel.on('data', (chunk: Buffer) => {
    seen += chunk.toString('utf8');
    const [, count = '', frame = ''] = /-lt (\d+) \].*?(RINGLAB-[0-9a-f]+)/s.exec(seen) ?? [];
    const lines = seen.split('\n');
    if (frame === '' || lines.length < Number(count) + 2) return;
    seen = '';
    const script = lines.slice(1, Number(count) + 1).join('\n');
    scripts.push(script);
    const both = (text: string): void => {
      channel.write(text);
      channel.stderr.write(text);
    };
    const call: HostileCall = {
      script,
      channel,
      connection,
      home,
      begin: () => both(`${frame}:`),
      end: (code = 0) => both(`${frame};${code};`),
      obey(alter = (same) => same) {
        both(`${frame}:`);
        const child = spawn('/bin/sh', ['-c', script], {
          cwd: home,
          env: { HOME: home, PATH: process.env.PATH ?? '' },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        child.stdout.on('data', (out: Buffer) => channel.write(alter(out.toString('utf8'))));
        child.stderr.on('data', (out: Buffer) => channel.stderr.write(out));
        child.once('close', (code) => both(`${frame};${code ?? 1};`));
      },
    };
    if (manner.command?.(call) !== true) call.obey();
  });
  channel.on('end', () => channel.end());
}

function serveCommand(
  channel: ServerChannel,
  connection: Connection,
  node: { home: string; manner: HostileManner; scripts: string[] },
): void {
  let seen = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    seen = Buffer.concat([seen, chunk]);
    const text = seen.toString('utf8');
    const [, count = '', marker = ''] = /-lt (\d+) \].*?(RINGLAB-[0-9a-f]+:)/s.exec(text) ?? [];
    const all = text.split('\n');
    const lines = all.slice(all.findIndex((line) => line.startsWith('R=')));
    if (marker === '' || lines.length < Number(count) + 2) return;
    channel.off('data', onData);
    const script = lines.slice(1, Number(count) + 1).join('\n');
    if (script.includes(keptShell)) {
      serveKeptShell(channel, connection, node, marker);
      return;
    }
    node.scripts.push(script);
    const obey = (alter: (text: string) => string = (same) => same): void => {
      const child = spawn('/bin/sh', ['-c', `exec /bin/sh -c 'IFS= read -r B&&eval "$B"'`], {
        cwd: node.home,
        env: { HOME: node.home, USER: userInfo().username, PATH: process.env.PATH ?? '', SHELL: '/bin/sh' },
        detached: true,
      });
      const kill = (): void => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        } catch {
          // It has ended.
        }
      };
      channel.once('close', kill);
      child.stdin.on('error', () => undefined);
      child.stdin.write(seen);
      channel.on('data', (more: Buffer) => child.stdin.write(more));
      channel.once('end', () => child.stdin.end());
      child.stdout.on('data', (out: Buffer) => channel.write(alter(out.toString('utf8'))));
      child.stderr.on('data', (out: Buffer) => channel.stderr.write(out));
      child.once('close', (code) => {
        channel.exit(code ?? 1);
        channel.end();
      });
    };
    const call: HostileCall = {
      script,
      channel,
      connection,
      home: node.home,
      begin(pid = nobody) {
        channel.write(`${marker}${pid};`);
        channel.stderr.write(`${marker}${pid};`);
      },
      obey,
      end(code = 0) {
        channel.exit(code);
        channel.end();
      },
    };
    if (node.manner.command?.(call) !== true) obey();
  };
  channel.on('data', onData);
  channel.on('error', () => undefined);
}

export async function startHostileNode(manner: HostileManner, name = 'hostile'): Promise<HostileNode> {
  const home = await mkdtemp(join(tmpdir(), 'ringlab-hostile-'));
  const hostKey = keyPair();
  const scripts: string[] = [];
  const sockets = new Set<Socket>();
  const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => {
      if (manner.login !== undefined) manner.login(context);
      else if (context.method === 'password') context.accept();
      else context.reject(['password']);
    });
    connection.once('ready', () => {
      const protocol = rawProtocol(connection);
      const confirm = protocol.channelOpenConfirm.bind(protocol);
      if (manner.neverOpens === true) protocol.channelOpenConfirm = () => undefined;
      else if (manner.packetSize !== undefined)
        protocol.channelOpenConfirm = (remote, local, window) =>
          confirm(remote, local, window, manner.packetSize ?? 0);
      manner.connected?.(connection);
    });
    connection.on('session', (accept) => {
      const session = accept();
      session.on('exec', (acceptExec) => serveCommand(acceptExec(), connection, { home, manner, scripts }));
      session.on('pty', (acceptPty) => (acceptPty as (() => void) | undefined)?.());
      session.on('shell', (acceptShell) => {
        const channel = acceptShell();
        channel.on('error', () => undefined);
        manner.command?.({
          script: 'shell',
          channel,
          connection,
          home,
          begin: () => undefined,
          obey: () => undefined,
          end: () => channel.end(),
        });
      });
      session.on('subsystem', (acceptSubsystem, refuse) => {
        if (manner.subsystem === undefined) refuse();
        else manner.subsystem(acceptSubsystem());
      });
      if (manner.sftp !== undefined)
        session.on('sftp', (acceptSftp) => manner.sftp?.(acceptSftp(), connection));
    });
  });
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    if (manner.socket?.(socket) !== true) server.injectSocket(socket);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const key = ssh2.utils.parseKey(hostKey.private);
  if (key instanceof Error) throw key;
  return {
    home,
    port,
    scripts,
    target: {
      labId: 'lab',
      nodeId: name,
      nodeName: name,
      host: '127.0.0.1',
      port,
      user: 'mallory',
      authentication: { method: 'password' },
      pinnedHostKey: key.getPublicSSH().toString('base64'),
    },
    async stop() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
