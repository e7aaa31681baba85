/** For tests: dropbear in a mount namespace in which the user's home is a folder of the test. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { descendantsOf, killAll } from './processes.ts';
import { freePort } from './free-port.ts';
import { keyPair } from './sshd.ts';

const program = '/usr/sbin/dropbear';

/** Why dropbear cannot be started here; undefined where it can. */
export const withoutDropbear = (): string | undefined => {
  if (!existsSync(program)) return `${program} is missing: apt-get install dropbear-bin`;
  if (spawnSync('unshare', ['-m', 'true']).status !== 0) return 'no mount namespace can be made here';
  return undefined;
};

export interface Dropbear {
  readonly port: number;
  readonly user: string;
  readonly keyFile: string;
  log(): string;
  stop(): Promise<void>;
}

export async function startDropbear(options: readonly string[] = []): Promise<Dropbear> {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-dropbear-'));
  const home = join(folder, 'home');
  await mkdir(join(home, '.ssh'), { recursive: true, mode: 0o700 });
  await chmod(home, 0o700);
  const login = keyPair();
  const keyFile = join(folder, 'id_ed25519');
  await writeFile(keyFile, login.private, { mode: 0o600 });
  await writeFile(join(home, '.ssh', 'authorized_keys'), `${login.public}\n`, { mode: 0o600 });
  const { username, homedir } = userInfo();
  const port = await freePort();
  execFileSync('dropbearkey', ['-t', 'ed25519', '-f', join(folder, 'host_key')], { stdio: 'ignore' });
  const words = ['-F', '-E', '-r', join(folder, 'host_key'), '-p', `127.0.0.1:${port}`, ...options];
  const child = spawn(
    'unshare',
    [
      '-m',
      'sh',
      '-c',
      'mount --bind "$1" "$2" && shift 2 && exec "$@"',
      'sh',
      home,
      homedir,
      program,
      ...words,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-100_000);
  });
  for (let attempt = 0; ; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) break;
    if (attempt > 200 || child.exitCode !== null) throw new Error(`dropbear did not start: ${log}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    ...{ port, user: username, keyFile },
    log: () => log,
    async stop() {
      const pids = descendantsOf(child.pid ?? -1);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      killAll(pids);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
