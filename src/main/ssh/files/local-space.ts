/** Checks the free space on this computer's disk, before and during a download. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';

/** Left free for everything else on this computer. */
const reserveBytes = 256 * 1024 ** 2;
/** Bytes received between two checks of the disk. */
const stepBytes = 32 * 1024 ** 2;

export type FreeBytes = (path: string) => Promise<number>;

/** Free bytes for us at `path`, which need not exist; Infinity where unknown. */
export const localFreeBytes: FreeBytes = async (path) => {
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    } catch {
      if (dirname(folder) === folder) return Infinity;
    }
  }
};

/**
 * Small files may use the reserve, too.
 * @throws local_disk_small with both numbers
 */
export async function needLocalBytes(
  path: string,
  needed: number,
  freeBytes: FreeBytes = localFreeBytes,
  reserve = Math.min(reserveBytes, needed * 8),
): Promise<void> {
  const free = await freeBytes(path);
  if (free < needed + reserve)
    throw new RinglabError('local_disk_small', { path, needed: Math.ceil(needed + reserve), free });
}

export interface IntakeLimits {
  /** Name for the user: a file of a node, an address. */
  readonly name: string;
  /** On this computer. */
  readonly path: string;
  /** Maximum number of bytes in total. */
  readonly max: number;
  /** Bytes that are already here. */
  readonly have?: number;
  readonly freeBytes?: FreeBytes;
}

/**
 * Counts received bytes, independently of the announced size.
 * @returns a function to call with each piece's length before it is written
 * @throws (when called) download_too_large, local_disk_small: the caller must remove the partial file
 */
export function createIntake({
  name,
  path,
  max,
  have = 0,
  freeBytes = localFreeBytes,
}: IntakeLimits): (bytes: number) => Promise<void> {
  let [all, unwatched] = [have, 0];
  return async (bytes) => {
    all += bytes;
    unwatched += bytes;
    if (all > max) throw new RinglabError('download_too_large', { path: name, size: all, limit: max });
    if (unwatched < stepBytes) return;
    unwatched = 0;
    await needLocalBytes(path, 0, freeBytes, reserveBytes);
  };
}

/** Errors after which the partial file is removed: resuming would end the same way. */
export const isIntakeStop = (error: unknown): boolean =>
  error instanceof RinglabError &&
  ['download_too_large', 'local_disk_small', 'local_disk_full'].includes(error.code);
