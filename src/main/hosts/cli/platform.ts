/** The Platform of the command line. */
import { copyFile, rename, stat } from 'node:fs/promises';
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
    const part = `${target}.part`;
    await copyFile(path, part);
    await rename(part, target);
    return { name, bytes: (await stat(target)).size, savedTo: target };
  } catch (error) {
    throw unwritable(target, error);
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
