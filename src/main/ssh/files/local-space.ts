/** Room on this computer's own disk, asked before something is fetched and watched while it comes. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';

/** Left free for everything else on this computer: its database, its logs, its user. */
const reserveBytes = 256 * 1024 ** 2;
/** How much may come until the disk is looked at again. */
const stepBytes = 32 * 1024 ** 2;

export type FreeBytes = (path: string) => Promise<number>;

/** Bytes free for us where `path` is or will be; infinite where the system does not say. */
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
 * What is small may take of the last space, too.
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
  /** In words for the user: a file of a node, an address. */
  readonly name: string;
  /** On this computer. */
  readonly path: string;
  /** Bytes in all that are taken. */
  readonly max: number;
  /** Bytes that are here already. */
  readonly have?: number;
  readonly freeBytes?: FreeBytes;
}

/**
 * Counts what comes, whatever was announced.
 * @returns called with each piece's length, before the piece is written
 * @throws (when called) download_too_large, local_disk_small: what has come is the caller's to remove
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

/** The errors after which what has come is removed: going on with it would end the same way. */
export const isIntakeStop = (error: unknown): boolean =>
  error instanceof RinglabError &&
  ['download_too_large', 'local_disk_small', 'local_disk_full'].includes(error.code);
