/**
 * Where the control channel listens: a socket in a folder private to this user. In the data folder if its path is
 * short enough for a socket and its file system supports sockets, else in a folder of a random name in the system's
 * temporary folder. On Windows a named pipe, whose random name is in a file of the data folder.
 */
import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import { ControlFile } from './greeting.ts';
import { phrase } from '../i18n/index.ts';
import type { Phrase } from '../../shared/base/phrase.ts';

/** `sun_path` holds 104 bytes on macOS and 108 on Linux, with the terminating zero. */
const maxPathBytes = 100;
const temporaryPrefix = 'ringlab-control-';

export const controlFile = (dataFolder: string): string => join(dataFolder, 'control.json');

const notPrivate = (path: string, reason: Phrase): RinglabError =>
  new RinglabError('control_unsafe', { path, reason }, { where: path });

/** Rejects with `control_unsafe` where the path belongs to another user, or others can access it. */
async function mustBePrivate(path: string, kind: 'folder' | 'file' | 'socket'): Promise<void> {
  const found = await lstat(path);
  const isKind =
    kind === 'folder' ? found.isDirectory() : kind === 'file' ? found.isFile() : found.isSocket();
  if (!isKind) throw notPrivate(path, phrase(`reasons.control.${kind}`));
  if (process.getuid !== undefined && found.uid !== process.getuid())
    throw notPrivate(path, phrase('reasons.control.otherUser'));
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw notPrivate(path, phrase('reasons.control.open'));
}

const listenAt = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });

async function ownFolder(dataFolder: string): Promise<string> {
  const folder = join(dataFolder, 'control');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await mustBePrivate(folder, 'folder');
  return folder;
}

/** The user's runtime folder (XDG_RUNTIME_DIR) where there is one: it is removed when the session ends. */
const temporaryBase = (): string => {
  const { XDG_RUNTIME_DIR } = process.env;
  return XDG_RUNTIME_DIR !== undefined && isAbsolute(XDG_RUNTIME_DIR) ? XDG_RUNTIME_DIR : tmpdir();
};

async function listenInTemporary(server: Server): Promise<string> {
  for (const base of new Set([temporaryBase(), tmpdir(), '/tmp'])) {
    // Created with mode 0700 under a random name, so that no other user can have prepared it.
    const folder = await mkdtemp(join(base, temporaryPrefix)).catch(() => undefined);
    if (folder === undefined) continue;
    const path = join(folder, 'socket');
    try {
      await listenAt(server, path);
      await chmod(path, 0o600);
      return path;
    } catch {
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw new RinglabError('file_unwritable', { path: tmpdir(), reason: phrase('reasons.control.noSocket') });
}

/** Listens on the first suitable path. Returns the socket's path or the pipe's name. Rejects with `file_unwritable`. */
export async function listenPrivately(server: Server, dataFolder: string): Promise<string> {
  if (process.platform === 'win32') {
    const name = `\\\\.\\pipe\\ringlab-${randomBytes(16).toString('hex')}`;
    await listenAt(server, name);
    return name;
  }
  try {
    const path = join(await ownFolder(dataFolder), 'socket');
    if (Buffer.byteLength(path) <= maxPathBytes) {
      // A stale socket: this process holds the data folder's lock.
      await rm(path, { force: true });
      await listenAt(server, path);
      await chmod(path, 0o600);
      return path;
    }
  } catch {
    // A file system without sockets or permissions: the temporary folder has both.
  }
  return listenInTemporary(server);
}

/** Identifies a folder independently of its path; a copy has another identity. */
export async function folderIdentity(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}

/** Removes a socket and its temporary folder, if any. Never rejects. */
export async function removePlace(address: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = dirname(address);
  const isOwn = basename(folder).startsWith(temporaryPrefix) && basename(address) === 'socket';
  try {
    await mustBePrivate(folder, 'folder');
    if (isOwn) await rm(folder, { recursive: true });
    else if (basename(folder) === 'control') await rm(address, { force: true });
  } catch {
    // Already removed, or another user's.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

export async function publish(dataFolder: string, file: ControlFile): Promise<void> {
  const path = controlFile(dataFolder);
  const before = await readPublished(dataFolder).catch(() => undefined);
  // Only where that process is gone: a copied data folder contains the address of the original's socket.
  if (before !== undefined && before.address !== file.address && !isAlive(before.pid))
    await removePlace(before.address);
  const part = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(part, JSON.stringify(file), { mode: 0o600, flag: 'wx' });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new RinglabError('file_unwritable', { path, reason }, { cause: error });
  }
}

/** Undefined where no app has published an address. Rejects with `control_unsafe` where the file is not trustworthy. */
export async function readPublished(dataFolder: string): Promise<ControlFile | undefined> {
  const path = controlFile(dataFolder);
  let text: string;
  try {
    await mustBePrivate(path, 'file');
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof RinglabError) throw error;
    return undefined;
  }
  try {
    return ControlFile.parse(JSON.parse(text));
  } catch (error) {
    throw new RinglabError(
      'control_unsafe',
      { path, reason: phrase('reasons.control.damaged') },
      { where: path, cause: error },
    );
  }
}

/**
 * Rejects with `control_unsafe` where another user could have created the socket; with the system's error where there
 * is none.
 */
export async function mustBeOwnSocket(address: string): Promise<void> {
  if (process.platform === 'win32') return;
  await mustBePrivate(dirname(address), 'folder');
  await mustBePrivate(address, 'socket');
}
