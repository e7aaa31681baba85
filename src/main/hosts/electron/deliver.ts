/** Delivers a file to the user through the system's save dialog. */
import { randomUUID } from 'node:crypto';
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Delivery } from '../../../shared/contract/api.ts';
import { RinglabError } from '../../../shared/base/errors.ts';

export interface SaveDialog {
  /** The path that the user chose, or undefined where they closed the dialog. */
  choosePlace(suggestion: string): Promise<string | undefined>;
  readonly downloadsFolder: string;
}

/**
 * Rejects with `cancelled` where the dialog was closed, `local_disk_full` or `file_unwritable` where it cannot be
 * written.
 */
export async function deliverFile(
  dialog: SaveDialog,
  { path, name }: { readonly path: string; readonly name: string },
): Promise<Delivery> {
  const target = await dialog.choosePlace(join(dialog.downloadsFolder, name));
  if (target === undefined) throw new RinglabError('cancelled');
  // A temporary file is renamed, so that an existing file is replaced atomically.
  // `NAME.part` would be a browser's, of a download in progress.
  const part = join(dirname(target), `.ringlab-${randomUUID()}.part`);
  try {
    await copyFile(path, part);
    await rename(part, target);
    return { name, bytes: (await stat(target)).size, savedTo: target };
  } catch (error) {
    await rm(part, { force: true });
    const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
    const reason = error instanceof Error ? error.message : String(error);
    if (isFull) throw new RinglabError('local_disk_full', { path: target }, { cause: error });
    throw new RinglabError('file_unwritable', { path: target, reason }, { cause: error });
  }
}
