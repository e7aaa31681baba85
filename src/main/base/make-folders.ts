/** Makes a folder that a user named, with those above it. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

/**
 * As `mkdir -p`. Node's own way never ends where the system says ENOENT below a folder that is there, as in /proc.
 * @param mode of each folder that is made
 */
export async function makeFolders(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && dirname(path) !== path && !(await isFolder(dirname(path)))) {
      await makeFolders(dirname(path), mode);
      await mkdir(path, mode).catch(async (again: unknown) => {
        if (!(await isFolder(path))) throw again;
      });
    } else if (!(await isFolder(path))) throw error;
  }
}
