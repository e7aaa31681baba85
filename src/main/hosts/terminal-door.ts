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

/** Rows of standard error that `liveLines` has written last, and writes again. */
let liveRows = 0;
let liveText = '';
let openQuestions = 0;

/** Row by row: tmux keeps a screen that is erased as a whole in its history. The cursor's row may hold the echo of a key. */
function eraseLiveLines(): void {
  if (liveRows > 0) past(`\r\x1b[2K${'\x1b[1A\x1b[2K'.repeat(liveRows)}`);
  liveRows = 0;
}

/** Installs the filter: once, before anything is written. */
export function hangDoor(streams: readonly NodeJS.WriteStream[] = [process.stdout, process.stderr]): void {
  // Bound before it is replaced: this is the original method.
  past = process.stderr.write.bind(process.stderr);
  for (const stream of streams) {
    const write = stream.write.bind(stream) as (chunk: string, ...rest: unknown[]) => boolean;
    const guarded = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      const text = forTerminal(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
      // It goes where the live lines stand, which are shown again below it.
      if (stream === process.stderr && text !== '') eraseLiveLines();
      return write(text, ...rest);
    };
    stream.write = guarded;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader is gone (`| head`, a closed terminal): continue without output.
      if (error.code === 'EPIPE' || error.code === 'EIO') return;
      process.once('exit', () => (process.exitCode = process.exitCode === 0 ? 1 : process.exitCode));
      if (stream === process.stdout) process.stderr.write(`ringlab: ${error.message}\n`);
    });
  }
}

/** Lines at the end of a terminal's output that are written again as they change; all else is written above them. */
export interface LiveLines {
  /** How many rows the terminal shows at once. */
  rows(): number;
  /**
   * Writes them, of one row each, in place of those before: the terminal cuts off what does not fit, by its own widths
   * of characters. Nothing is written while a question is open.
   */
  show(lines: readonly string[]): void;
  /** They stay as they are, and what is written next follows them. */
  leave(): void;
}

/** Of a terminal that does not say its size. */
const usualRows = 24;

/** Of standard error, where it is a terminal: needs the door. */
export const liveLines: LiveLines = {
  rows: () => (process.stderr.rows > 0 ? process.stderr.rows : usualRows),
  show(lines) {
    const text = forTerminal(lines.map((line) => `${line}\n`).join(''));
    if (openQuestions > 0 || (liveRows > 0 && text === liveText)) return;
    eraseLiveLines();
    past(`\x1b[?7l${text}\x1b[?7h`);
    [liveRows, liveText] = [lines.length, text];
  },
  leave: () => void (liveRows = 0),
};

/** A question is open, behind which no live lines may be written, until the returned function is called. */
export function openQuestion(): () => void {
  openQuestions += 1;
  return () => void (openQuestions -= 1);
}

/** Standard error for readline, which moves the cursor. The question itself is written through the filter. */
export const typedLine = (hidden: boolean): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!hidden) past(chunk);
      done();
    },
  });
