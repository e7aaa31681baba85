/** Names and files by which git, Mercurial and Jujutsu take a folder for a repository, and run what its configuration says. */
import { open } from 'node:fs/promises';

/** Characters that HFS+ passes over in names, by git's own list. */
const unseen = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/gu;

/** As the file systems of macOS and Windows compare names: without streams (`.git::$INDEX_ALLOCATION`), dots and spaces at the end. */
const compared = (part: string): string =>
  part
    .replaceAll(unseen, '')
    .replace(/:.*$/su, '')
    .replace(/[. ]+$/u, '')
    .toLowerCase();

/** `GIT~1` is the short name that Windows gives `.git`. */
const isRepository = (part: string): boolean =>
  /^(?:\.(?:git|hg|jj)|(?:git|hg|jj)~\d+)$/u.test(compared(part));

/** Whether any part of the path is such a folder, or a file that names one. */
export const isInRepository = (path: string): boolean => path.split('/').some(isRepository);

/** What git reads of it. */
const headBytes = 255;

/** Whether git takes the file for the `HEAD` of a bare repository, which needs no `.git`. */
export async function isRepositoryHead(name: string, path: string): Promise<boolean> {
  if (compared(name) !== 'head') return false;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return /^(?:ref:|[0-9a-f]{40})/iu.test(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await file.close();
  }
}
