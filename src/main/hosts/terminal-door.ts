/**
 * The door to the terminal that the app was started in: all that is written to standard output and error passes here. What
 * nodes, servers and files say may hold escape sequences that retitle the terminal, fill its clipboard or redraw what
 * was said before; they are shown as they would stand in JSON, so that lines of JSON stay what they are.
 */
import { Writable } from 'node:stream';
import { withUnseen } from '../../shared/base/plain-text.ts';

export const forTerminal = (text: string): string => withUnseen(text.replaceAll('\r\n', '\n'));

/** Writes past the door: for sequences of our own, and readline's. */
let past: (chunk: string | Uint8Array) => boolean = (chunk) => process.stderr.write(chunk);

/** Hangs the door: once, before anything is written. */
export function hangDoor(): void {
  // Bound before it is replaced: this is the stream's own.
  past = process.stderr.write.bind(process.stderr);
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (chunk: string, ...rest: unknown[]) => boolean;
    const guarded = (chunk: string | Uint8Array, ...rest: unknown[]): boolean =>
      write(forTerminal(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')), ...rest);
    stream.write = guarded;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Nobody reads any more: `| head` has enough, or the terminal is gone. What was begun goes on.
      if (error.code === 'EPIPE' || error.code === 'EIO') return;
      process.once('exit', () => (process.exitCode = process.exitCode === 0 ? 1 : process.exitCode));
      if (stream === process.stdout) process.stderr.write(`ringlab: ${error.message}\n`);
    });
  }
}

/** Takes the last lines of standard error away again. */
export const eraseLines = (count: number): void => {
  past(`\x1b[${count}A\x1b[J`);
};

/** Standard error for readline, which moves the cursor. What is asked is written through the door before. */
export const typedLine = (hidden: boolean): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!hidden) past(chunk);
      done();
    },
  });
