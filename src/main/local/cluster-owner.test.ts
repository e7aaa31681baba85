import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { clusterOwner } from './cluster-owner.ts';

const folders: string[] = [];
const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-owner-'));
  folders.push(folder);
  return folder;
};
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

it('is another one for each data folder, though its path is the same on two computers, and stays', async () => {
  const path = join(await newFolder(), 'data');
  const here = clusterOwner(path);
  expect(clusterOwner(path)).toBe(here);
  expect(await readdir(path)).toEqual(['cluster-owner']);
  // The other computer's.
  await rm(path, { recursive: true });
  expect(clusterOwner(path)).not.toBe(here);
});
