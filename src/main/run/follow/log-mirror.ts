/** Copies each rank's log to this computer, so that it can be read when the node is unreachable or gone. */
import { appendFile, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { FileChunk } from '../../ssh/index.ts';
import { forgetArrivals, noteArrival, type Arrival } from './log-times.ts';

export interface LogSlice {
  readonly text: string;
  readonly offset: number;
  readonly nextOffset: number;
  readonly size: number;
  /** When its lines arrived, where that was noted. */
  readonly arrivals?: readonly Arrival[];
}

export const mirrorPath = (folder: string, rank: number): string => join(folder, `rank-${rank}.log.txt`);

/** Bytes copied so far: the offset from which to read the node's log. */
export async function mirrorSize(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/**
 * Appends bytes of the node's log. A log that shrank starts a new copy; the old one is kept beside it. Throws
 * `local_disk_full`.
 * @param now Unix seconds: when the chunk arrived
 * @returns true where the copy changed
 */
export async function mirrorLog(path: string, chunk: FileChunk, now: number): Promise<boolean> {
  if (chunk.size < chunk.offset) {
    await rename(path, path.replace(/\.txt$/, '.before.txt'));
    await forgetArrivals(path);
    return true;
  }
  if (chunk.bytes.length === 0) return false;
  const size = await mirrorSize(path);
  if (chunk.offset > size) return false;
  const fresh = chunk.bytes.subarray(size - chunk.offset);
  if (fresh.length === 0) return false;
  try {
    await noteArrival(path, { offset: size, t: now });
    await appendFile(path, fresh);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new RinglabError('local_disk_full', { path }, { cause: error });
    }
    throw error;
  }
  return true;
}

export interface LocalSlice {
  readonly bytes: Uint8Array;
  readonly offset: number;
  /** Bytes of the whole file. */
  readonly size: number;
}

/** Bytes of a local file from `offset`; undefined where there is no such file. */
export async function readSlice(
  path: string,
  offset: number,
  limit: number,
): Promise<LocalSlice | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    const from = offset < 0 ? Math.max(0, size + offset) : Math.min(offset, size);
    const buffer = Buffer.alloc(Math.min(limit, size - from));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    return { bytes: buffer.subarray(0, bytesRead), offset: from, size };
  } finally {
    await file.close();
  }
}

/** Decodes a slice to whole characters: partial ones at its ends are cut, and `nextOffset` is adjusted. */
export function sliceText(bytes: Uint8Array, offset: number, size: number): LogSlice {
  let from = 0;
  while (offset > 0 && from < Math.min(3, bytes.length) && isContinuation(bytes[from])) from += 1;
  let to = bytes.length;
  for (let back = 1; back <= Math.min(3, to - from) && offset + to < size; back += 1) {
    const byte = bytes[to - back] ?? 0;
    if (isContinuation(byte)) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (needed > back && to - back > from) to -= back;
    break;
  }
  const text = new TextDecoder().decode(bytes.subarray(from, to));
  return { text, offset: offset + from, nextOffset: offset + to, size };
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The last lines of a log for display: without colours and control characters, limited in length. */
export function lastWordsOf(text: string, lines = 20): string[] {
  return text
    .split('\n')
    .map((line) =>
      line
        .slice(line.lastIndexOf('\r', line.length - 2) + 1)
        .replace(/\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
        .slice(0, 500),
    )
    .filter((line) => line.trim() !== '')
    .slice(-lines);
}
