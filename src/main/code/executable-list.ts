/**
 * Keeps which files of a kept version are executable, in a file beside them: their contents are shared with other
 * versions, and not every file system has the mode. A version without such files has no list.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderManifest } from '../transfer/index.ts';

/** A name that is never sent. */
export const executableList = '.ringlab-executable';

export async function writeExecutable(tree: string, { files }: FolderManifest): Promise<void> {
  const paths = files.filter(({ executable }) => executable).map(({ path }) => `${path}\0`);
  if (paths.length > 0) await writeFile(join(tree, executableList), paths.join(''));
}

/** Where it is missing or damaged the version's hash is another, so that it counts as gone. */
export async function readExecutable(tree: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(tree, executableList), 'utf8').catch(() => '');
  return new Set(text.split('\0'));
}
