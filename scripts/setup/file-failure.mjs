/** What to do where a file of the project folder cannot be written: it is another user's, or the disk is full or read-only. */
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, sep } from 'node:path';
import { asRootLine, shellQuoted } from './as-root.mjs';
import { root } from './project.mjs';

const again = 'then start again';
const inFolder = (path, folder) => path === folder || path.startsWith(folder + sep);

/** @param {string} path @returns {number | undefined} the number of its owner */
function ownerOf(path) {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

/** A container's user may have a number and no name. @param {number} uid */
function nameOf(uid) {
  try {
    return userInfo().username;
  } catch {
    return String(uid);
  }
}

/**
 * @param {unknown} error
 * @param {{ uid?: number, owner?: (path: string) => number | undefined, project?: string, way?: import('./as-root.mjs').Way }} [system]
 * @returns {{ message: string, remedy: string } | undefined} undefined for errors of another kind
 */
export function fileFailure(error, system = {}) {
  const { uid, owner, project, way } = {
    uid: process.getuid?.(),
    owner: ownerOf,
    project: root,
    way: undefined,
    ...system,
  };
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return undefined;
  const { code, syscall, path } = error;
  // Linux says the same of too many watched files.
  if ((code === 'ENOSPC' || code === 'EDQUOT') && !/watch/.test(String(syscall)))
    return {
      message: `the disk, or this user’s part of it, is full${typeof path === 'string' ? `: ${path} cannot be written` : ''}`,
      remedy: `make room (see \`df -h ${shellQuoted(project)}\`), ${again}`,
    };
  if (typeof path !== 'string' || !inFolder(path, project) || /^spawn/.test(String(syscall)))
    return undefined;
  if (code === 'EROFS')
    return {
      message: `${path} cannot be written: its file system is read-only`,
      remedy: 'use a clone in a folder that can be written, such as one below your home',
    };
  if (code !== 'EACCES' && code !== 'EPERM') return undefined;
  if (uid === undefined)
    return {
      message: `${path} cannot be changed`,
      remedy: `another program uses it, or this user may not: end that program, or use a clone of your own; ${again}`,
    };
  const [blocker, blockerOwner] = foreign(path, { uid, owner, project });
  if (blocker === undefined)
    return {
      message: `${path} cannot be written: its permissions forbid it`,
      remedy: `type this line, ${again}:\nchmod -R u+rwX ${shellQuoted(project)}`,
    };
  return {
    message: `${path} cannot be written: ${blocker} belongs to ${blockerOwner === 0 ? 'root' : `another user (number ${blockerOwner})`}`,
    remedy: `use a clone of your own; or, where the whole folder shall be yours (such as after \`sudo npm start\`), type this line, ${again}:\n${asRootLine([`chown -R ${shellQuoted(nameOf(uid))} ${shellQuoted(project)}`], { way })}`,
  };
}

/** The file, or the nearest folder in the project above it, that is another user's. @returns {[string?, number?]} */
function foreign(path, { uid, owner, project }) {
  for (let at = path; inFolder(at, project); at = dirname(at)) {
    const found = owner(at);
    if (found !== undefined && found !== uid) return [at, found];
  }
  return [];
}
