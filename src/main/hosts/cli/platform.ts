/** The Platform of the command line. */
import { randomUUID } from 'node:crypto';
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Delivery } from '../../../shared/contract/api.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { makeFolders } from '../../base/make-folders.ts';
import type { Platform } from '../../base/platform.ts';
import { showPlace } from './show-place.ts';
import { memorySecrets } from './memory-secrets.ts';
import { dataFolder, pathsFor, programFile, projectVersion } from './paths.ts';

const unwritable = (path: string, error: unknown): RinglabError => {
  const reason = error instanceof Error ? error.message : String(error);
  return new RinglabError('file_unwritable', { path, reason }, { cause: error });
};

/** Rejects with the reason where it cannot be made. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeFolders(path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Copies to a temporary file and renames, so that an existing file is replaced atomically. Rejects with the reason. */
export async function copyTo(
  out: string,
  { path, name }: { readonly path: string; readonly name: string },
): Promise<Delivery & { readonly savedTo: string }> {
  const folder = resolve(out);
  const target = join(folder, name);
  try {
    await makeFolders(folder);
    // No name that the user's own files have.
    const part = join(folder, `.ringlab-${randomUUID()}.part`);
    try {
      await copyFile(path, part);
      await rename(part, target);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
    return { name, bytes: (await stat(target)).size, savedTo: target };
  } catch (error) {
    throw unwritable(target, error);
  }
}

/** The same for a file that nobody else uses: moved, or copied and removed where the folder is on another disk. */
export async function moveTo(
  out: string,
  file: { readonly path: string; readonly name: string },
): Promise<Delivery & { readonly savedTo: string }> {
  const target = join(resolve(out), file.name);
  try {
    await makeFolders(resolve(out));
    await rename(file.path, target);
    return { name: file.name, bytes: (await stat(target)).size, savedTo: target };
  } catch {
    const copied = await copyTo(out, file);
    await rm(file.path, { force: true });
    return copied;
  }
}

export const cliPlatform = async (data: string | undefined): Promise<Platform> => ({
  kind: 'cli',
  version: await projectVersion(),
  paths: pathsFor(dataFolder(data)),
  program: programFile(),
  secrets: memorySecrets(),
  deliver: (file) => copyTo('.', file),
  openPlace: showPlace,
  notify: () => undefined,
});
