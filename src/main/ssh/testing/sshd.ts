/**
 * For tests: Debian's OpenSSH server with its own port, keys, home folder and configuration; does not touch the
 * system's.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { fingerprintOf } from '../trust/fingerprint.ts';
import { freePort } from './free-port.ts';
import { descendantsOf, killAll } from './processes.ts';

const { utils } = ssh2;

export interface SshdOptions {
  readonly maxSessions?: number;
  /** `MaxStartups` as in sshd_config: `10:30:100`. */
  readonly maxStartups?: string;
  /** `internal` (the default), `external` (the real sftp-server through the login shell), or `off`. */
  readonly sftp?: 'internal' | 'external' | 'off';
  /** Content of the home folder's `.bashrc`. */
  readonly bashrc?: string;
  /** A program instead of the login shell, run as `program -c COMMAND`. */
  readonly loginShell?: string;
  /** For other accounts of this machine (accounts.ts): each has its own home folder. */
  readonly accounts?: boolean;
  /** Further lines of sshd_config. */
  readonly extraConfig?: readonly string[];
  /** Reuse the port and the host key of a stopped server, as after a reboot. */
  readonly port?: number;
  readonly hostKey?: KeyPair;
  /** Its address, and a program with arguments that starts it: a namespace of the test. */
  readonly address?: string;
  readonly through?: readonly string[];
  /** Its address as seen from here, where that differs: a forwarded port. */
  readonly forwarded?: { readonly host: string; readonly port: number };
}

export interface KeyPair {
  /** OpenSSH private key text. */
  readonly private: string;
  /** `ssh-ed25519 AAAA…`. */
  readonly public: string;
}

export interface Sshd {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** A private key that the server accepts. */
  readonly keyFile: string;
  /** `SHA256:…` */
  readonly hostKeyFingerprint: string;
  /** Base64 of the public host key, as in known_hosts. */
  readonly hostKeyBase64: string;
  readonly hostKey: KeyPair;
  /** `$HOME` of the sessions. */
  readonly home: string;
  /** A line for a known_hosts file. */
  readonly knownHostsLine: string;
  /** The server's log so far. */
  log(): string;
  /** Resets open connections; the server keeps running. */
  dropConnections(): void;
  stop(): Promise<void>;
}

export const keyPair = (): KeyPair => {
  let pair = utils.generateKeyPairSync('ed25519');
  // ssh2 sometimes generates an unreadable key.
  while (utils.parseKey(pair.private) instanceof Error) pair = utils.generateKeyPairSync('ed25519');
  return { private: pair.private, public: pair.public };
};

async function answers(port: number, host: string): Promise<boolean> {
  const socket = connect(port, host);
  return await new Promise((resolve) => {
    socket.once('data', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  }).then((yes) => {
    socket.destroy();
    return yes === true;
  });
}

const sftpLines = {
  internal: ['Subsystem sftp internal-sftp'],
  external: ['Subsystem sftp /usr/lib/openssh/sftp-server'],
  off: [],
} as const;

function configuration(folder: string, home: string, port: number, options: SshdOptions): string {
  return [
    // sshd uses the first value: a test's lines come first.
    ...(options.extraConfig ?? []),
    `Port ${port}`,
    `ListenAddress ${options.address ?? '127.0.0.1'}`,
    `HostKey ${folder}/host_key`,
    `AuthorizedKeysFile ${folder}/authorized_keys`,
    'PidFile none',
    'UsePAM no',
    'StrictModes no',
    'PermitRootLogin yes',
    'PasswordAuthentication yes',
    'KbdInteractiveAuthentication no',
    'PrintMotd no',
    'PrintLastLog no',
    'LogLevel VERBOSE',
    ...(options.accounts === true ? [] : [`SetEnv HOME=${home}`]),
    `MaxSessions ${options.maxSessions ?? 10}`,
    `MaxStartups ${options.maxStartups ?? '100:30:200'}`,
    ...sftpLines[options.sftp ?? 'internal'],
    ...(options.loginShell === undefined ? [] : [`ForceCommand ${folder}/login`]),
    '',
  ].join('\n');
}

const program = '/usr/sbin/sshd';

/**
 * Starts an sshd on a loopback port. The caller stops it. Needs `openssh-server`; sessions run as the user of the
 * tests.
 */
export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  if (!existsSync(program)) throw new Error(`${program} is missing: apt-get install openssh-server`);
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-sshd-'));
  const home = join(folder, 'home');
  await mkdir(home);
  const host = options.hostKey ?? keyPair();
  const login = keyPair();
  const keyFile = join(folder, 'id_ed25519');
  await writeFile(join(folder, 'host_key'), host.private, { mode: 0o600 });
  await writeFile(keyFile, login.private, { mode: 0o600 });
  await writeFile(join(folder, 'authorized_keys'), `${login.public}\n`);
  // Read by sshd as the user who logs in.
  if (options.accounts === true) await chmod(folder, 0o711);
  if (options.bashrc !== undefined) await writeFile(join(home, '.bashrc'), options.bashrc);
  if (options.loginShell !== undefined) {
    // The user's real login shell starts this, so that no account of the system is changed.
    const script = `#!/bin/sh\nexec ${options.loginShell} -c "$SSH_ORIGINAL_COMMAND"\n`;
    await writeFile(join(folder, 'login'), script);
    await chmod(join(folder, 'login'), 0o755);
  }
  if (userInfo().uid === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });

  const address = options.address ?? '127.0.0.1';
  let log = '';
  let child: ChildProcess | undefined;
  let port = options.port ?? (await freePort());
  for (let attempt = 0; ; attempt += 1) {
    await writeFile(join(folder, 'sshd_config'), configuration(folder, home, port, options));
    const own = [program, '-D', '-e', '-f', join(folder, 'sshd_config')];
    const [first = program, ...rest] = [...(options.through ?? []), ...own];
    const started = spawn(first, rest, {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-200_000);
    });
    const gone = once(started, 'exit').then(() => false);
    const reached = options.forwarded ?? { host: address, port };
    const ready = (async () => {
      while (started.exitCode === null && !(await answers(reached.port, reached.host)))
        await new Promise((r) => setTimeout(r, 20));
      return started.exitCode === null;
    })();
    if (await Promise.race([gone, ready])) {
      child = started;
      break;
    }
    if (attempt >= 5) throw new Error(`sshd did not start: ${log}`);
    if (options.port === undefined) port = await freePort();
    else await new Promise((r) => setTimeout(r, 100));
  }
  const listener = child;
  const reached = options.forwarded ?? { host: address, port };
  const [type = '', base64 = ''] = host.public.split(' ');
  const connections = (): number[] => descendantsOf(listener.pid ?? -1);

  return {
    ...reached,
    user: userInfo().username,
    keyFile,
    hostKeyFingerprint: fingerprintOf(Buffer.from(base64, 'base64')),
    hostKeyBase64: base64,
    hostKey: host,
    home,
    knownHostsLine: `[${reached.host}]:${reached.port} ${type} ${base64}`,
    log: () => log,
    dropConnections: () => killAll(connections()),
    async stop() {
      const pids = connections();
      if (listener.exitCode === null && listener.signalCode === null) {
        const ended = once(listener, 'exit');
        listener.kill('SIGTERM');
        await ended;
      }
      killAll(pids);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
