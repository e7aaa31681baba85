/** Checks the free space on a node's disk before a transfer. */
import { RinglabError } from '../../shared/base/errors.ts';
import { phrase } from '../i18n/index.ts';
import type { SshSession } from '../ssh/index.ts';
import { lastWords, shellQuote } from '../ssh/index.ts';

/** Free bytes for us at `path` (absolute), which need not exist: of its nearest existing parent. */
export async function freeBytes(
  node: Pick<SshSession, 'exec'>,
  path: string,
  signal?: AbortSignal,
): Promise<number> {
  const script = `d=${shellQuote(path)}; while [ ! -d "$d" ]; do d=$(dirname "$d"); done; LC_ALL=C df -Pk "$d" | { read -r heading; read -r device total used free rest; echo "$free"; }`;
  const result = await node.exec(script, { signal });
  const { stdout } = result;
  // More digits are implausible for a disk, and not exact as a number.
  if (!/^\d{1,15}\s*$/.test(stdout)) {
    throw new RinglabError(
      'command_failed',
      { command: `df ${path}`, code: phrase('reasons.noNumber') },
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

/** Messages of programs and the trainer about a full disk. */
export const isDiskFullMessage = (text: string): boolean =>
  /No space left on device|Disk quota exceeded|disk_full/i.test(text);
