/**
 * Whether a folder is one of Ringlab's, and who else could change what lies there. Without texts: the start of the program needs
 * this before the rest is loaded.
 */
import { lstat, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

export const writableByOthers = 0o022;
const sticky = 0o1000;
/** Every data folder has the first of them from the first start on, a copy of one at least the second. */
const ownFiles: readonly string[] = ['lock.db', 'format.json'];

/** @param names of what is in a folder */
export const hasOwnFiles = (names: readonly string[]): boolean =>
  names.some((name) => ownFiles.includes(name));

/** Why a path is not safe: `link`, a symbolic link that another user owns; `rename`, a folder whose entries other users can rename. */
export interface PathFault {
  readonly what: 'link' | 'rename';
  readonly path: string;
}

/** The first fault among each parent folder and symbolic link of an absolute path, both as named and as resolved. */
export async function faultOfPath(path: string, own: number): Promise<PathFault | undefined> {
  for (let at = path; ; at = dirname(at)) {
    const found = await lstat(at);
    if (found.isSymbolicLink() && found.uid !== own && found.uid !== 0) return { what: 'link', path: at };
    if (at !== path && found.isDirectory() && isOpen(found, own)) return { what: 'rename', path: at };
    if (dirname(at) === at) break;
  }
  const real = await realpath(path);
  return real === path ? undefined : faultOfPath(real, own);
}

function isOpen({ mode, uid, gid }: { mode: number; uid: number; gid: number }, own: number): boolean {
  // In a folder with the sticky bit, such as /tmp, only its owner and root can rename a user's folder.
  if ((mode & sticky) !== 0) return false;
  if (uid !== own && uid !== 0) return true;
  // Many systems give each user a private group of the same number, which owns the user's folders.
  const ownGroup = gid === own && process.getgid?.() === gid;
  return (mode & (ownGroup ? 0o002 : writableByOthers)) !== 0;
}
