/** Runs commands on a local node: each in its own session under /bin/sh, which gets SIGHUP when its channel closes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { ServerChannel } from 'ssh2';

export interface NodeEnvironment {
  readonly home: string;
  readonly user: string;
  readonly path: string;
}

/** As sshd does: the app's own environment is not passed on, except the language. */
const environmentOf = ({ home, user, path }: NodeEnvironment): Record<string, string> => {
  const language = Object.entries(process.env).filter(
    (entry): entry is [string, string] => /^(LANG|LC_\w+|TZ)$/.test(entry[0]) && entry[1] !== undefined,
  );
  return {
    ...Object.fromEntries(language),
    HOME: home,
    USER: user,
    LOGNAME: user,
    SHELL: '/bin/sh',
    PATH: path,
  };
};

/** Signals the command and its children, except those that left its session (setsid). */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is empty: it has ended.
  }
}

const isSignal = (name: string): name is NodeJS.Signals => Object.hasOwn(constants.signals, name);

/** @param name as in SSH: without `SIG` */
export function signalNamed(child: ChildProcess, name: string): void {
  const signal = `SIG${name}`;
  if (isSignal(signal)) signalGroup(child, signal);
}

/**
 * Runs a command on a channel: its pipes are connected to the channel, its exit status is returned, and as with sshd
 * the channel stays open until all pipes are closed. If the channel closes first, the command's group gets SIGHUP.
 */
export function runCommand(
  channel: ServerChannel,
  [program, ...args]: readonly [string, ...string[]],
  environment: NodeEnvironment,
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  // Detached: a separate session, so that signals reach only the command and its children.
  const child = spawn(program, args, {
    cwd: environment.home,
    env: { ...environmentOf(environment), ...variables },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let isOver = false;
  const finish = (settle: () => void): void => {
    if (isOver) return;
    isOver = true;
    settle();
    channel.end();
  };
  channel.on('error', () => signalGroup(child, 'SIGHUP'));
  child.stdin.on('error', () => undefined);
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  child.on('error', (error) =>
    finish(() => {
      channel.stderr.write(`${error.message}\n`);
      channel.exit(127);
    }),
  );
  child.on('exit', (code, signal) => {
    if (code !== null) channel.exit(code);
    else channel.exit((signal ?? 'SIGKILL').slice(3), false, '');
    child.stdin.destroy();
  });
  // 'close': all pipes are closed.
  child.on('close', () => finish(() => undefined));
  channel.once('close', () => {
    if (child.exitCode === null && child.signalCode === null) signalGroup(child, 'SIGHUP');
    // Processes that still write get SIGPIPE.
    child.stdout.destroy();
    child.stderr.destroy();
    child.stdin.destroy();
  });
  return child;
}
