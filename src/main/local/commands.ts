/** Commands on a local node: each a session of its own under /bin/sh, hung up on when its channel goes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { ServerChannel } from 'ssh2';

export interface NodeEnvironment {
  readonly home: string;
  readonly user: string;
  readonly path: string;
}

/** As sshd gives it: nothing of the app's own environment reaches the node, but its language does. */
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

/** A signal to the command and all it started that did not leave its session (setsid). */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is empty: it ended by itself.
  }
}

const isSignal = (name: string): name is NodeJS.Signals => Object.hasOwn(constants.signals, name);

/** @param name as SSH writes it: without `SIG` */
export function signalNamed(child: ChildProcess, name: string): void {
  const signal = `SIG${name}`;
  if (isSignal(signal)) signalGroup(child, signal);
}

/**
 * Runs a command on a channel: its pipes are the channel's, its exit status is returned, and like sshd the channel stays
 * open until nobody holds the pipes any more. Where the channel goes first, the command's group gets SIGHUP.
 */
export function runCommand(
  channel: ServerChannel,
  [program, ...args]: readonly [string, ...string[]],
  environment: NodeEnvironment,
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  // Detached: a session of its own, so that signals reach what the command started and nothing of the app's.
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
  // 'close': all pipes at their end.
  child.on('close', () => finish(() => undefined));
  channel.once('close', () => {
    if (child.exitCode === null && child.signalCode === null) signalGroup(child, 'SIGHUP');
    // Whoever still holds the pipes learns that nobody reads them.
    child.stdout.destroy();
    child.stderr.destroy();
    child.stdin.destroy();
  });
  return child;
}
