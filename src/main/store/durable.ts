/** Atomic replacement of files, atomic appending, and conversion of file system errors. */
import {
  closeSync,
  constants,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  rmdirSync,
  writeSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RinglabError } from '../../shared/base/errors.ts';
import { sqliteCode } from './database.ts';

/** File system calls that can fail, so that tests can simulate it. */
export interface Disk {
  /** Returns how many bytes were written. */
  write(file: number, bytes: Uint8Array, at: number): number;
  /** Both complete when everything written to the file is on disk: synchronously, or asynchronously. */
  flushNow(path: string): void;
  flush(path: string): Promise<void>;
}
export const realDisk: Disk = {
  write: (file, bytes, at) => writeSync(file, bytes, 0, bytes.byteLength, at),
  flushNow(path) {
    const file = openSync(path, 'r+');
    try {
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
  },
  async flush(path) {
    const file = await open(path, 'r+');
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  },
};

/**
 * Writes `bytes` at `size`, the end of the file. They survive the process at once, a power cut only after a flush
 * (`LateFlush`). On failure the file is truncated to `size`, so that no torn line is left. Throws `local_disk_full`
 * or `file_unwritable`.
 */
export function appendBytes(disk: Disk, path: string, size: number, bytes: Uint8Array): void {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    let written = 0;
    while (written < bytes.byteLength) written += disk.write(file, bytes.subarray(written), size + written);
  } catch (error) {
    if (file !== undefined) {
      try {
        ftruncateSync(file, size);
      } catch {
        // The next start truncates the file at its last whole line.
      }
    }
    throw diskError(error, path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Replaces a file atomically: temporary name, fsync, rename, fsync of the folder. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameOver(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw diskError(error, path);
  }
}

/** Whether the folder of this file has nothing but what `replaceFile` began of it. */
export function isUnfinished(path: string): boolean {
  const begun = `${basename(path)}.`;
  try {
    return readdirSync(dirname(path)).every((name) => name.startsWith(begun) && name.endsWith('.tmp'));
  } catch {
    // No folder, or one that cannot be read.
    return false;
  }
}

/** Removes a folder, unless it has something in it. Never throws. */
export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is not there, or not empty.
  }
}

/** What a rename depends on, so that tests can simulate Windows. */
export interface Renaming {
  readonly platform: NodeJS.Platform;
  rename(from: string, to: string): Promise<void>;
  wait(milliseconds: number): Promise<void>;
}
const realRenaming: Renaming = {
  platform: process.platform,
  rename,
  wait: (milliseconds) => sleep(milliseconds),
};

/** As Windows says that another program has the file open. */
const heldCodes: readonly (string | undefined)[] = ['EPERM', 'EACCES', 'EBUSY'];
/** Milliseconds for which a held file is tried again, and between two tries. */
const heldFor = 1000;
const heldRetry = 50;

/**
 * Renames, also over a file that a virus scanner, an indexer or a synchronising program of Windows has open for a moment:
 * elsewhere a rename does not fail for that.
 */
export async function renameOver(from: string, to: string, system: Renaming = realRenaming): Promise<void> {
  for (let waited = 0; ; waited += heldRetry) {
    try {
      await system.rename(from, to);
      return;
    } catch (error) {
      const isHeld = system.platform === 'win32' && heldCodes.includes(systemCode(error));
      if (!isHeld || waited >= heldFor) throw error;
    }
    await system.wait(heldRetry);
  }
}

/** Flushes renames and new files in a folder; not needed on Windows. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

export function diskError(error: unknown, path: string): RinglabError {
  if (error instanceof RinglabError) return error;
  const code = systemCode(error);
  const reason = error instanceof Error ? error.message : String(error);
  // SQLITE_FULL
  return code === 'ENOSPC' || code === 'EDQUOT' || sqliteCode(error) === 13
    ? new RinglabError('local_disk_full', { path }, { detail: reason, cause: error })
    : new RinglabError('file_unwritable', { path, reason: code ?? reason }, { detail: reason, cause: error });
}
