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

/** Erases the last lines of standard error. */
export const eraseLines = (count: number): void => {
  past(`\x1b[${count}A\x1b[J`);
};

/** Standard error for readline, which moves the cursor. The question itself is written through the filter. */
export const typedLine = (hidden: boolean): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!hidden) past(chunk);
      done();
    },
  });
