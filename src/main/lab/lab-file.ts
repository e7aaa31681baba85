/** Reads one lab file from any source: checks its size before reading, validates it, never changes it. */
import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import { checkLabSize, parseLab } from '../../shared/lab/read-lab.ts';
import { labMaxBytes, type LabDocument } from '../../shared/lab/lab.ts';
import { openOwnFile, readOwnFile } from '../base/own-file.ts';
import { reasonOf } from '../base/reason.ts';

export const extension = '.lab.json';

export interface ReadLab {
  readonly lab: LabDocument;
  readonly text: string;
}

/**
 * Reads and parses a lab file. Rejects with `file_unreadable`, `lab_too_large` (before reading it), `lab_unreadable`,
 * `lab_invalid` or `lab_newer`.
 */
export async function readLabText(path: string): Promise<ReadLab> {
  let text: string;
  try {
    const { file, size } = await openOwnFile(path, Number.MAX_SAFE_INTEGER);
    await file.close();
    checkLabSize(size, basename(path));
    text = (await readOwnFile(path, labMaxBytes)).toString('utf8');
  } catch (error) {
    if (error instanceof RinglabError) throw error;
    throw new RinglabError(
      'file_unreadable',
      { path, reason: reasonOf(error) },
      { where: basename(path), cause: error },
    );
  }
  return { lab: parseLab(text, basename(path)), text };
}

/** For the command line: reads a lab file anywhere. Rejects like `readLabText`. */
export async function readLabFile(path: string): Promise<LabDocument> {
  return (await readLabText(path)).lab;
}

/**
 * The file that a path of a lab stands for: a symbolic link, as into a Git checkout, stays, and what it points to is
 * replaced. A link to nothing is replaced itself.
 */
export async function linkedFile(path: string): Promise<string> {
  const isLink = await lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  return isLink ? realpath(path).catch(() => path) : path;
}

/** Names of a folder's lab files; none where the folder does not exist. */
export async function labFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(extension) && !name.startsWith('.')).sort();
}
