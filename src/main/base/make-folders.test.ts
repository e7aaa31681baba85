import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolders } from './make-folders.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-folders-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('makes a folder with those above it, by several at once, and leaves one that is there', async () => {
  const path = join(folder, 'a b', '结果', 'c');
  await Promise.all([
    makeFolders(path, 0o700),
    makeFolders(path, 0o700),
    makeFolders(join(path, 'd'), 0o700),
  ]);
  await makeFolders(path);
  for (const made of [path, join(folder, 'a b')]) expect((await stat(made)).mode & 0o777).toBe(0o700);
  await symlink(path, join(folder, 'link'));
  await makeFolders(join(folder, 'link'));
  await makeFolders('.');
});

it('says why where there can be none, and ends', async () => {
  await writeFile(join(folder, 'file'), '');
  await symlink(join(folder, 'nothing'), join(folder, 'dangling'));
  for (const path of ['file', 'file/x/y', 'dangling'])
    await expect(makeFolders(join(folder, path))).rejects.toThrow(/EEXIST|ENOTDIR/);
  // Node's own recursive mkdir tries without end there, with all of a core.
  if (process.platform === 'linux')
    await expect(makeFolders('/proc/ringlab-none/x')).rejects.toThrow('ENOENT');
});
