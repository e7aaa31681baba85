/**
 * What the local nodes of a deleted lab leave in the data folder. A mark in the lab's folder there says that it was deleted: labs that the
 * command line has from files are nowhere else, and are not to be taken for deleted ones.
 */
import { lstat, readdir, readFile, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownNames, ringlabFolder } from '../base/node-layout.ts';

const markName = '.deleted';
const folderOf = (dataFolder: string, labId: string): string => join(dataFolder, 'nodes', labId);
const markOf = (dataFolder: string, labId: string): string => join(folderOf(dataFolder, labId), markName);

/** Not where it is a symbolic link: what that leads to is not ours. */
const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

export async function markDeleted(dataFolder: string, labId: string): Promise<void> {
  if (await isFolder(folderOf(dataFolder, labId))) await writeFile(markOf(dataFolder, labId), '');
}

export const unmarkDeleted = (dataFolder: string, labId: string): Promise<void> =>
  rm(markOf(dataFolder, labId), { force: true });

const isMarked = (dataFolder: string, labId: string): Promise<boolean> =>
  lstat(markOf(dataFolder, labId)).then(
    (found) => found.isFile(),
    () => false,
  );

/** Ids of the labs that have the mark. */
export async function markedLabs(dataFolder: string): Promise<string[]> {
  const marked: string[] = [];
  for (const labId of await namesIn(join(dataFolder, 'nodes')))
    if ((await isFolder(folderOf(dataFolder, labId))) && (await isMarked(dataFolder, labId)))
      marked.push(labId);
  return marked;
}

/** Of this process, with links resolved. */
async function mountPoints(): Promise<string[]> {
  const text = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  return text
    .split('\n')
    .map((line) =>
      (line.split(' ')[1] ?? '').replaceAll(/\\([0-7]{3})/g, (_, code: string) =>
        String.fromCodePoint(Number.parseInt(code, 8)),
      ),
    );
}

/**
 * Removes what the app has put on the local nodes of a marked lab. Files of the user's own in their homes stay, as do run folders, which
 * somebody kept when the run was deleted, links, and what is mounted there.
 */
export async function removeLeft(dataFolder: string, labId: string): Promise<void> {
  const folder = folderOf(dataFolder, labId);
  if (!(await isFolder(folder))) return;
  const mounts = await mountPoints();
  for (const nodeId of await namesIn(folder)) {
    const node = join(folder, nodeId);
    const home = join(node, 'home');
    const own = ringlabFolder(home);
    if (!(await isFolder(node)) || !(await isFolder(home))) continue;
    for (const name of (await isFolder(own)) ? ownNames : []) {
      const path = join(own, name);
      if (name === 'runs' || !(await isFolder(path)) || (await hasMount(path, mounts))) continue;
      // A command that prepares the lab from a file takes the mark away.
      if (!(await isMarked(dataFolder, labId))) return;
      await rm(path, { recursive: true, force: true });
    }
    await removeEmpty(join(own, 'runs'), own, home);
    if ((await namesIn(node)).every((name) => name === 'host_key')) {
      await rm(join(node, 'host_key'), { force: true });
      await removeEmpty(node);
    }
  }
  await unmarkDeleted(dataFolder, labId);
  await removeEmpty(folder);
}

/** Whether another file system is mounted at this folder or below it. */
async function hasMount(folder: string, mounts: readonly string[]): Promise<boolean> {
  const real = await realpath(folder);
  return mounts.some((mount) => `${mount}/`.startsWith(`${real}/`));
}

async function removeEmpty(...folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rmdir(folder).catch(() => undefined);
}
