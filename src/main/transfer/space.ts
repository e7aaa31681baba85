/** Room on a node's disk, asked before anything is written. */
import { RinglabError } from '../../shared/base/errors.ts';
import type { SshSession } from '../ssh/index.ts';
import { lastWords, shellQuote } from '../ssh/index.ts';

/** Bytes free for us where `path` (absolute) is or will be: the nearest folder above it that exists is asked. */
export async function freeBytes(
  node: Pick<SshSession, 'exec'>,
  path: string,
  signal?: AbortSignal,
): Promise<number> {
  const script = `d=${shellQuote(path)}; while [ ! -d "$d" ]; do d=$(dirname "$d"); done; LC_ALL=C df -Pk "$d" | { read -r heading; read -r device total used free rest; echo "$free"; }`;
  const result = await node.exec(script, { signal });
  const { stdout } = result;
  // More digits are no disk's, and would be no number.
  if (!/^\d{1,15}\s*$/.test(stdout)) {
    throw new RinglabError(
      'command_failed',
      { command: `df ${path}`, code: 'no number' },
      { detail: lastWords(result) },
    );
  }
  return Number(stdout) * 1024;
}

/** Throws node_disk_full with both numbers. */
export async function needBytes(
  node: Pick<SshSession, 'exec'>,
  path: string,
  needed: number,
  signal?: AbortSignal,
): Promise<void> {
  const free = await freeBytes(node, path, signal);
  if (free < needed) throw new RinglabError('node_disk_full', { path, needed: Math.ceil(needed), free });
}

/** What programs and the trainer say when a disk is full. */
export const saysDiskFull = (text: string): boolean =>
  /No space left on device|Disk quota exceeded|disk_full/i.test(text);
