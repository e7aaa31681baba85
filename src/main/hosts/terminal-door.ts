/**
 * Escapes control characters in everything that is written to standard output and error. Text from nodes, servers and
 * files may contain escape sequences that retitle the terminal, change its clipboard or overwrite earlier output;
 * they are written as JSON escapes, so that JSON output stays valid.
 */
import { Writable } from 'node:stream';
import { withUnseen } from '../../shared/base/plain-text.ts';

export const forTerminal = (text: string): string => withUnseen(text.replaceAll('\r\n', '\n'));

/** Writes without escaping: for our own sequences, and readline's. */
let past: (chunk: string | Uint8Array) => boolean = (chunk) => process.stderr.write(chunk);

/** Installs the filter: once, before anything is written. */
export function hangDoor(): void {
  // Bound before it is replaced: this is the original method.
  past = process.stderr.write.bind(process.stderr);
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (chunk: string, ...rest: unknown[]) => boolean;
    const guarded = (chunk: string | Uint8Array, ...rest: unknown[]): boolean =>
      write(forTerminal(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')), ...rest);
    stream.write = guarded;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader is gone (`| head`, a closed terminal): continue without output.
      if (error.code === 'EPIPE' || error.code === 'EIO') return;
      process.once('exit', () => (process.exitCode = process.exitCode === 0 ? 1 : process.exitCode));
      if (stream === process.stdout) process.stderr.write(`ringlab: ${error.message}\n`);
    });
  }
}

/** A terminal whose last lines are written again. */
export interface Screen {
  /** How many lines it shows at once. */
  rows(): number;
  /** Writes lines of one row each: the terminal cuts off what does not fit, by its own widths of characters. */
  write(lines: readonly string[]): void;
  /** Erases the last rows. */
  erase(rows: number): void;
}

/** Of a terminal that does not say its size. */
const usualRows = 24;

/** Standard error, where it is a terminal. */
export const errorScreen: Screen = {
  rows: () => (process.stderr.rows > 0 ? process.stderr.rows : usualRows),
  write(lines) {
    past('\x1b[?7l');
    process.stderr.write(lines.map((line) => `${line}\n`).join(''));
    past('\x1b[?7h');
  },
  // Row by row: tmux keeps a screen that is erased as a whole in its history.
  erase: (rows) => past('\x1b[1A\x1b[2K'.repeat(rows)),
};

/** Standard error for readline, which moves the cursor. The question itself is written through the filter. */
export const typedLine = (hidden: boolean): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!hidden) past(chunk);
      done();
    },
  });
