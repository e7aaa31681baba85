/** Opens a terminal on a node: the user's login shell, or a command, with a pseudo-terminal. */
import { constants } from 'node:os';
import type { ClientChannel } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import { ChannelRefused, type Opened } from './channel-gate.ts';
import type { SshTerminal, TerminalOptions } from '../contract.ts';
import type { Shell } from './shell.ts';

const kind = 'xterm-256color';
/** Maximum number of typed or pasted bytes that the node has not read. */
const maxUnsent = 4 * 1024 * 1024;

const numbers: Readonly<Record<string, number | undefined>> = constants.signals;
/** As a shell has it. A machine that shuts down hangs up its shells: as where the connection is lost, it may be back. */
const codeOf = (signal = ''): number | undefined =>
  signal === 'SIGHUP' ? undefined : 128 + (numbers[signal] ?? 0);

/**
 * Rejects with `connection_lost`, `channel_refused`, `terminals_per_connection` or `cancelled`, or where the node refuses a
 * pseudo-terminal.
 */
export async function openTerminal(shell: Shell, options: TerminalOptions): Promise<SshTerminal> {
  const { columns, rows, command, signal } = options;
  const size = { cols: columns, rows, width: 0, height: 0 };
  const channel = await shell.gate.open(
    () =>
      new Promise<Opened<ClientChannel>>((resolve, reject) => {
        const onOpen = (error: Error | undefined, opened: ClientChannel): void => {
          if (error === undefined) {
            resolve({ value: opened, closed: new Promise((gone) => opened.once('close', gone)) });
          } else if (/open failed|channel open failure/i.test(error.message)) {
            reject(new ChannelRefused(error.message));
          } else {
            reject(
              new RinglabError(
                'command_failed',
                { code: 1, command: 'pty' },
                { detail: error.message, cause: error },
              ),
            );
          }
        };
        const pty = { ...size, term: kind };
        try {
          if (command === undefined) shell.client.shell(pty, onOpen);
          else shell.client.exec(command, { pty }, onOpen);
        } catch (error) {
          // ssh2 throws where the connection is already closed.
          reject(new RinglabError('connection_lost', { host: shell.host }, { cause: error }));
        }
      }),
    { signal, interactive: true },
  );
  let code: number | undefined;
  channel.on('exit', (status: number | null, by?: string) => {
    code = status ?? codeOf(by);
  });
  channel.on('error', () => undefined);
  // A terminal has one stream; output on the other belongs to the same screen.
  channel.stderr.on('data', (chunk: Buffer) => channel.emit('data', chunk));
  return {
    onData: (listener) => channel.on('data', listener),
    write(text) {
      // The node does not read: further input is dropped.
      if (channel.writableLength < maxUnsent) channel.write(text);
    },
    resize: ({ columns: cols, rows: lines }) => channel.setWindow(lines, cols, 0, 0),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: () => channel.close(),
    ended: new Promise((resolve) => channel.once('close', () => resolve(code))),
  };
}
