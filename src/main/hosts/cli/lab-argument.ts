/** The lab that a command is given: a file, or `-` for standard input, as `jq … lab.json | ringlab run -` has it. */
import type { Readable } from 'node:stream';
import { checkLabSize, parseLab } from '../../../shared/lab/read-lab.ts';
import { labMaxBytes, type LabDocument } from '../../../shared/lab/lab.ts';
import { readLabFile } from '../../lab/index.ts';
import { UsageError } from './command-line.ts';
import { speak } from './speak.ts';

/** @throws UsageError, and what `readLabFile` throws */
export async function readLabArgument(
  path: string | undefined,
  command: string,
  input: Readable & { readonly isTTY?: boolean } = process.stdin,
): Promise<LabDocument> {
  if (path === undefined || path === '') throw new UsageError(speak('cli.usage.lab', { command }));
  // As other launchers are given a script.
  if (/\.(py|sh)$/i.test(path)) throw new UsageError(speak('cli.usage.labIsScript', { path }));
  if (path !== '-') return readLabFile(path);
  if (input.isTTY === true) throw new UsageError(speak('cli.usage.labAtTerminal', { command }));
  const where = 'stdin';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk as Uint8Array); // A stream without an encoding gives bytes.
    size += bytes.length;
    // Before all of an endless stream is held.
    if (size > labMaxBytes) checkLabSize(size, where);
    chunks.push(bytes);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  // What an empty pipe means is that the command before it failed.
  if (text.trim() === '') throw new UsageError(speak('cli.usage.labEmpty', { command }));
  return parseLab(text, where);
}
