/**
 * A terminal on a local node. The pseudo-terminal is created by `script`, which every supported Linux (util-linux)
 * and macOS have: a native addon would have to be compiled for each Node and Electron.
 */
import { execFile, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { promisify } from 'node:util';
import type { ServerChannel } from 'ssh2';
import { asOneLine } from '../../shared/base/plain-text.ts';
import type { TerminalSize } from '../../shared/node/terminal.ts';
import { shellQuote } from '../ssh/index.ts';
import { runCommand, type NodeEnvironment } from './commands.ts';

const execute = promisify(execFile);
const program = '/usr/bin/script';
const isMac = process.platform === 'darwin';

const canRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Whether this computer supports terminals. */
export const hasTerminals = (): boolean => canRun(program);

export interface LocalTerminal {
  readonly child: ChildProcess;
  resize(size: TerminalSize): void;
}

/**
 * All local nodes are this computer, and their shells would show its name alone: the prompt begins with the node's. It is
 * set before the first prompt, after the user's own files have set theirs. bash expands the variable when it shows the
 * prompt and does not evaluate its value, so that a lab's names run nothing.
 */
const promptOf = (nodeName: string): Record<string, string> => ({
  RINGLAB_NODE: asOneLine(nodeName),
  PROMPT_COMMAND: `PS1='[\${RINGLAB_NODE}] '"$PS1"; unset PROMPT_COMMAND`,
});

/** Runs a command, or a login shell, in a terminal of this size; otherwise like `runCommand`. */
export function runInTerminal(
  channel: ServerChannel,
  command: string | undefined,
  { columns, rows }: TerminalSize,
  environment: NodeEnvironment,
  nodeName?: string,
): LocalTerminal {
  // bash has line editing and completion, which plain sh may lack.
  const shell = canRun('/bin/bash') ? '/bin/bash' : '/bin/sh';
  const wanted = command === undefined ? `exec ${shell} -l` : `exec /bin/sh -c ${shellQuote(command)}`;
  // `script` switches the echo off where its own input is a pipe.
  const start = `stty sane rows ${rows} cols ${columns}; ${wanted}`;
  const child = runCommand(
    channel,
    isMac ? [program, '-q', '/dev/null', '/bin/sh', '-c', start] : [program, '-qefc', start, '/dev/null'],
    environment,
    { TERM: 'xterm-256color', SHELL: shell, ...(nodeName === undefined ? {} : promptOf(nodeName)) },
  );
  return {
    child,
    resize: (size) => {
      // If the size cannot be set, the old one remains: only line breaks are affected.
      setSize(child, size).catch(() => undefined);
    },
  };
}

/** Changing the size sends SIGWINCH to the programs, as a terminal window does. */
async function setSize(child: ChildProcess, { columns, rows }: TerminalSize): Promise<void> {
  const { stdout } = await execute('ps', ['-A', '-o', 'ppid=,tty=']);
  const own = stdout.split('\n').find((line) => line.trim().startsWith(`${child.pid ?? -1} `));
  const tty = own?.trim().split(/\s+/)[1];
  if (tty === undefined || !/^[\w/]+$/.test(tty) || tty === '?') return;
  await execute('stty', [isMac ? '-f' : '-F', `/dev/${tty}`, 'rows', String(rows), 'cols', String(columns)]);
}
