/**
 * Finding: 'Remove Ringlab' where `~/.ringlab` is a symbolic link reported bytes that it did not free. Removes
 * Ringlab's part of the link's target; never other folders, users' files or mounts.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
  chownSync,
  lstatSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createAsker } from '../provision/testing/asker.ts';
import { createBench, labOf, type Bench } from '../provision/testing/bench.ts';

const isRoot = process.getuid?.() === 0;
const megabyte = 1024 * 1024;

let bench: Bench | undefined;
const mounts: string[] = [];
afterEach(() => {
  for (const place of mounts.splice(0)) execFileSync('umount', ['-l', place]);
  bench?.close();
});

/** A node whose `~/.ringlab` is `target` in the bench's folder: a link to it, or with `isLink` false the folder itself. */
function prepared(isLink = true): { made: Bench; home: string; target: string; questions: unknown[] } {
  const asker = createAsker(() => ({ kind: 'accept' }));
  const made = createBench({ trainer: 'stand-in', provisioner: { prompter: asker } });
  bench = made;
  const home = join(made.folder, 'nodes', 'n0');
  const target = isLink ? join(made.folder, 'scratch', 'a folder') : join(home, '.ringlab');
  mkdirSync(join(target, 'trainers'), { recursive: true });
  mkdirSync(join(target, 'runs', 'r1'), { recursive: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(target, 'trainers', 'big'), Buffer.alloc(3 * megabyte, 7));
  if (isLink) symlinkSync(target, join(home, '.ringlab'));
  return { made, home, target, questions: asker.questions };
}
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

describe('removing Ringlab where its folder is a link', () => {
  it('removes the link’s target, and shows it before', async () => {
    const { made, home, target, questions } = prepared();
    const { freedBytes, stays } = await made.provisioner.remove(labOf(['anna']), 'n0');
    expect(freedBytes).toBeGreaterThanOrEqual(3 * megabyte);
    expect(stays).toEqual([]);
    expect(isThere(join(home, '.ringlab'))).toBe(false);
    expect(existsSync(target)).toBe(false);
    expect(JSON.stringify(questions)).toContain(target);
  });

  it('leaves and names files that are not Ringlab’s', async () => {
    const { made, home, target } = prepared();
    for (const name of ['data', 'thesis']) {
      mkdirSync(join(target, name));
      writeFileSync(join(target, name, 'file'), 'mine');
    }
    const { freedBytes, stays } = await made.provisioner.remove(labOf(['anna']), 'n0');
    expect(freedBytes).toBeGreaterThanOrEqual(3 * megabyte);
    expect(stays.map(({ path, why }) => `${why} ${path}`).sort()).toEqual(
      ['data', 'runs', 'thesis'].map((name) => `other ${join(target, name)}`),
    );
    expect(readdirSync(target).sort()).toEqual(['data', 'runs', 'thesis']);
    expect(isThere(join(home, '.ringlab'))).toBe(false);
  });

  it('removes nothing if the link leads to a home folder', async () => {
    const { made, home } = prepared(false);
    execFileSync('rm', ['-rf', join(home, '.ringlab')]);
    mkdirSync(join(home, 'trainers'));
    symlinkSync('.', join(home, '.ringlab'));
    expect((await made.provisioner.remove(labOf(['anna']), 'n0')).freedBytes).toBe(0);
    expect(existsSync(join(home, 'trainers'))).toBe(true);
    expect(isThere(join(home, '.ringlab'))).toBe(false);
  });

  it('removes a dangling link', async () => {
    const { made, home, target } = prepared();
    execFileSync('rm', ['-rf', target]);
    expect((await made.provisioner.remove(labOf(['anna']), 'n0')).freedBytes).toBe(0);
    expect(isThere(join(home, '.ringlab'))).toBe(false);
  });

  it('does not follow links inside, and counts only removed bytes', async () => {
    const { made, target } = prepared(false);
    const images = join(made.folder, 'images');
    mkdirSync(images);
    writeFileSync(join(images, 'big'), Buffer.alloc(5 * megabyte, 7));
    symlinkSync(images, join(target, 'data'));
    const { freedBytes, stays } = await made.provisioner.remove(labOf(['anna']), 'n0');
    expect(freedBytes).toBeLessThan(4 * megabyte);
    expect(stays).toEqual([{ why: 'link', path: images }]);
    expect(existsSync(join(images, 'big'))).toBe(true);
    expect(existsSync(target)).toBe(false);
  });

  it.skipIf(!isRoot)('leaves files of other users and mounts (needs root)', async () => {
    const { made, target } = prepared(false);
    mkdirSync(join(target, 'data', 'mounted'), { recursive: true });
    mkdirSync(join(target, 'bin'));
    chownSync(join(target, 'bin'), 65534, 65534);
    const place = join(target, 'data', 'mounted');
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', place]);
    mounts.push(place);
    writeFileSync(join(place, 'file'), 'theirs');
    const { freedBytes, stays } = await made.provisioner.remove(labOf(['anna']), 'n0');
    expect(freedBytes).toBeGreaterThanOrEqual(3 * megabyte);
    expect(stays.map(({ why, path }) => `${why} ${path}`).sort()).toEqual([
      `mount ${place}`,
      `owner ${join(target, 'bin')}`,
    ]);
    expect(existsSync(join(place, 'file'))).toBe(true);
    expect(readdirSync(target).sort()).toEqual(['bin', 'data']);
  });

  it('counts no file that has a link elsewhere, as nodes of one computer share them', async () => {
    const { made, target } = prepared(false);
    writeFileSync(join(target, 'trainers', 'shared'), Buffer.alloc(8 * megabyte, 3));
    linkSync(join(target, 'trainers', 'shared'), join(made.folder, 'cached trainer'));
    // Twice in the folder itself: it frees its size once.
    linkSync(join(target, 'trainers', 'big'), join(target, 'runs', 'r1', 'big'));
    const { freedBytes } = await made.provisioner.remove(labOf(['anna']), 'n0');
    expect(freedBytes).toBeGreaterThanOrEqual(3 * megabyte);
    expect(freedBytes).toBeLessThan(4 * megabyte);
    expect(existsSync(target)).toBe(false);
  });
});
