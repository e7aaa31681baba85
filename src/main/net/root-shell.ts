/** Runs shell text as root: directly, or with sudo without a password. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

interface ShellResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RootShell {
  /** Command prefix that runs it as root: empty for root. */
  readonly prefix: readonly string[];
  run(script: string, timeoutMs?: number): Promise<ShellResult>;
}

const maxOutput = 16 * 1024 * 1024;
/** Includes iproute2's folders, which an ordinary user's PATH lacks. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function runProgram(
  program: string,
  args: readonly string[],
  {
    input = '',
    timeoutMs = 60_000,
    path = systemPath,
  }: { input?: string; timeoutMs?: number; path?: string } = {},
): Promise<ShellResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: { PATH: path, LC_ALL: 'C' },
      stdio: 'pipe',
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (output[name].length < maxOutput) output[name] += text;
      });
    }
    child.on('error', (error) => resolve({ code: 127, stdout: '', stderr: error.message }));
    child.on('close', (code) => resolve({ code, ...output }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** Program and arguments, with `sudo` where needed. */
export const asRoot = (
  prefix: readonly string[],
  program: string,
  ...args: string[]
): [string, ...string[]] => {
  const [first, ...rest] = prefix;
  return first === undefined ? [program, ...args] : [first, ...rest, program, ...args];
};

const shellWith = (prefix: readonly string[]): RootShell => ({
  prefix,
  run(script, timeoutMs) {
    const [program, ...args] = asRoot(prefix, 'sh', '-s');
    return runProgram(program, args, { input: script, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  },
});

/** Of what several apps on this computer change at the same time. */
const lockFile = '/run/ringlab-networks.lock';

/**
 * Runs it while no other app on this computer does the same, of whatever user and data folder: what one finds free another may be about to
 * take. Without the program `flock`, or after a minute, it runs all the same.
 */
export async function alone<T>(
  { prefix }: Pick<RootShell, 'prefix'>,
  work: () => Promise<T>,
  file = lockFile,
): Promise<T> {
  // Ends with its input, so also with this process.
  const [program, ...args] = asRoot(prefix, 'flock', '-w', '60', file, 'sh', '-c', 'echo; exec cat');
  const child = spawn(program, args, {
    env: { PATH: systemPath, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  child.stdin.on('error', () => undefined);
  await Promise.race([ended, new Promise((resolve) => child.stdout.once('data', resolve))]);
  try {
    return await work();
  } finally {
    child.stdin.end();
    await ended;
  }
}

/**
 * Undefined where we are not root and sudo needs a password.
 * @param from.path where sudo is found
 */
export async function openRootShell(
  from: { readonly uid?: number | undefined; readonly path?: string } = {},
): Promise<RootShell | undefined> {
  if ((from.uid ?? process.getuid?.()) === 0) return shellWith([]);
  // -k: a password typed in our terminal counts there for some minutes, but not in the sessions of local nodes'
  // commands, and not until the network is removed.
  const { code } = await runProgram('sudo', ['-k', '-n', 'true'], {
    timeoutMs: 10_000,
    ...(from.path === undefined ? {} : { path: from.path }),
  });
  return code === 0 ? shellWith(['sudo', '-n']) : undefined;
}

/** The first of the programs that is not in the system's PATH. */
export function missingProgram(names: readonly string[]): string | undefined {
  const exists = (name: string): boolean =>
    systemPath.split(':').some((folder) => {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
  return names.find((name) => !exists(name));
}

/**
 * Shell prefix that enters a namespace as the current user. With sudo, HOME and PATH, which sudo replaces, are
 * restored.
 */
export function enterText(namespace: string, shell: RootShell): string {
  const enter = `nsenter --net=/run/netns/${namespace} --`;
  if (shell.prefix.length === 0) return enter;
  const back = 'setpriv --reuid="$(id -u)" --regid="$(id -g)" --init-groups --';
  return `${shell.prefix.join(' ')} ${enter} ${back} env HOME="$HOME" USER="$USER" PATH="$PATH"`;
}
