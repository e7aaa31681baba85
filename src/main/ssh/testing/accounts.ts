/** For tests: real accounts of this machine with a login shell and start-up files; removed with everything they left. */
import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { existsSync } from 'node:fs';

const execute = promisify(execFile);

export interface Account {
  readonly user: string;
  readonly home: string;
  readonly uid: number;
}

export interface AccountOptions {
  readonly shell?: string;
  /** The account's home folder; by default a new one. */
  readonly home?: string;
  /** Texts by path within the home folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Needs root, and useradd. */
export const canMakeAccounts = process.getuid?.() === 0 && existsSync('/usr/sbin/useradd');

/** The caller removes it. */
export async function makeAccount(options: AccountOptions = {}): Promise<Account> {
  const user = `rl${randomBytes(5).toString('hex')}`;
  const own = `/tmp/ringlab-home-${user}`;
  const home = options.home ?? own;
  // Without a password, but not locked, so that sshd accepts its key.
  const shell = options.shell ?? '/bin/bash';
  const uid = await addAccount(['--no-create-home', '-d', home, '-s', shell, '-p', '*', user]);
  if (home === own) {
    await mkdir(home, { mode: 0o755 });
    await chmod(home, 0o755);
  }
  for (const [path, text] of Object.entries(options.files ?? {})) {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  if (home === own) {
    await chown(home, uid, uid);
    await execute('chown', ['-R', `${user}:`, home]);
  }
  return { user, home, uid };
}

/** Exit status of useradd. */
const uidIsTaken = 4;

/**
 * With a random uid, not the next free one: each chroot of a machine has its own list of accounts, and tests in two of them would
 * end each other's processes.
 */
async function addAccount(args: readonly string[]): Promise<number> {
  for (;;) {
    const uid = randomInt(20_000, 60_000);
    try {
      await execute('useradd', ['-u', String(uid), ...args]);
      return uid;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === uidIsTaken)) throw error;
    }
  }
}

/** Ends its processes, and removes the account and its home folder. */
export async function removeAccount({ user, home }: Account): Promise<void> {
  await execute('pkill', ['-KILL', '-u', user]).catch(() => undefined);
  await execute('userdel', ['-f', user]).catch(() => undefined);
  if (home.startsWith('/tmp/ringlab-home-')) await execute('rm', ['-rf', '--one-file-system', home]);
}
