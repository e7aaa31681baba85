/**
 * Makes the data folder private to this user: it holds runs, host keys and the keys of local nodes. Permissions that
 * let others read it are removed; a folder that others could replace, that belongs to another user, or that others can read
 * and that has other files than Ringlab's, is refused.
 */
import { constants, type Dirent } from 'node:fs';
import { chmod, lstat, open, readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import { phrase } from '../i18n/index.ts';
import { faultOfPath, hasOwnFiles } from './data-place.ts';
import { makeFolders } from './make-folders.ts';
import type { Phrase } from '../../shared/base/phrase.ts';

const others = 0o077;

/**
 * These make it no home and no project: what systems lay in any folder, labs that were laid here for the first start, and
 * Electron's files, which must have their place before this can be checked.
 */
const neutral: readonly string[] = ['.DS_Store', '.localized', 'lost+found', 'labs', 'electron'];

const unsafe = (path: string, reason: Phrase): RinglabError =>
  new RinglabError('data_folder_unsafe', { path, reason });

/**
 * Creates the folder if needed, and removes other users' access to it and its contents. Resolves with whether others
 * had access. Rejects with `data_folder_unsafe`.
 */
export async function makePrivate(path: string): Promise<boolean> {
  await makeFolders(path, 0o700);
  const own = process.getuid?.();
  // Windows restricts a profile's folders to its user by default.
  if (own === undefined) return false;
  const fault = await faultOfPath(resolve(path), own);
  if (fault !== undefined)
    throw unsafe(path, phrase(`reasons.dataFolder.${fault.what}`, { path: fault.path }));
  // Opened once, so that the folder that is checked is the folder that is changed.
  const folder = await open(
    await realpath(path),
    constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
  );
  try {
    const found = await folder.stat();
    if (found.uid !== own) throw unsafe(path, phrase('reasons.dataFolder.otherUser', { uid: found.uid }));
    if ((found.mode & others) === 0) return false;
    await checkOwn(path);
    await folder.chmod(found.mode & 0o700);
  } finally {
    await folder.close();
  }
  // From here on no other user can reach the contents.
  await closeBelow(path);
  return true;
}

/** A home or a project that `--data` names by mistake keeps its permissions. */
async function checkOwn(path: string): Promise<void> {
  const names = await readdir(path);
  const [example] = names.filter((name) => !neutral.includes(name)).sort();
  if (example !== undefined && !hasOwnFiles(names))
    throw unsafe(path, phrase('reasons.dataFolder.otherFiles', { name: example }));
}

async function closeBelow(folder: string): Promise<void> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() && !entry.isFile()) continue;
    const { mode } = await lstat(path);
    if ((mode & others) !== 0) await chmod(path, mode & 0o700);
    if (entry.isDirectory()) await closeBelow(path);
  }
}
