import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { readFolder, type FolderManifest } from './folder-manifest.ts';
import { hasFolder, sendFolder, verifyFolder } from './send-folder.ts';
import { createLocalShell, programsOnly, type LocalShell } from '../ssh/testing/local-shell.ts';

let folder = '';
let home = '';
let local = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-send-test-'));
  home = join(folder, 'home');
  local = join(folder, 'my data "set" 图');
  mkdirSync(home);
  for (let index = 0; index < 12; index += 1) put(`train/cat/${index}.jpg`, randomBytes(180_000));
  put('train/dog/a b\\c\nd.jpg', 'dog');
  put('train/dog/large.bin', Buffer.alloc(5 * 1024 ** 2, 3));
  put('val/cat/狗 🐕.jpg', 'val');
  put('val/dog/empty.jpg', '');
  put('notes.txt', 'not sent');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(local, path)), { recursive: true });
  writeFileSync(join(local, path), content);
}

const manifestNow = (): Promise<FolderManifest> => readFolder(local, { parts: ['train', 'val'] });
const targetOf = (manifest: FolderManifest): string =>
  join(home, '.ringlab/data', `${manifest.name}-${manifest.hash}`);
const stdinBytes = (shell: LocalShell): number => shell.stdins.reduce((sum, bytes) => sum + bytes, 0);

test('a folder arrives complete under its final name, and no part is sent twice', async () => {
  const manifest = await manifestNow();
  expect(manifest.files.map(({ path }) => path)).not.toContain('notes.txt');
  const target = targetOf(manifest);
  const shell = createLocalShell({ home });
  const seen: number[] = [];
  const result = await sendFolder(shell, manifest, target, {
    who: 'n0',
    onProgress: ({ done }) => seen.push(done),
  });
  expect(result.sent).toBe(manifest.bytes);
  expect(seen.at(-1)).toBe(manifest.bytes);
  for (const part of ['train', 'val']) execFileSync('diff', ['-r', join(local, part), join(target, part)]);
  expect(readdirSync(dirname(target))).toEqual([`${manifest.name}-${manifest.hash}`]);
  expect(readdirSync(target).sort()).toEqual(['.ringlab-manifest', 'train', 'val']);
  expect(await hasFolder(shell, target)).toBe(true);
  expect(await verifyFolder(shell, target)).toBe(true);
});

test('a file named as standard input arrives, and is found again after an interruption', async () => {
  put('-', 'not read from a terminal');
  const manifest = await readFolder(local, { parts: ['.'] });
  const target = targetOf(manifest);
  const shell = createLocalShell({ home });
  await sendFolder(shell, manifest, target, { who: 'n0' });
  expect(readFileSync(join(target, '-'), 'utf8')).toBe('not read from a terminal');
  expect(await verifyFolder(shell, target)).toBe(true);
  put('more.txt', 'another folder');
  const next = await readFolder(local, { parts: ['.'] });
  const { sent } = await sendFolder(shell, next, targetOf(next), { who: 'n0' });
  expect(readFileSync(join(targetOf(next), '-'), 'utf8')).toBe('not read from a terminal');
  expect(sent).toBeLessThan(100);
  writeFileSync(join(target, '-'), 'changed');
  expect(await verifyFolder(shell, target)).toBe(false);
});

test('a changed data set gets its own folder, and only changes are sent', async () => {
  const before = await manifestNow();
  await sendFolder(createLocalShell({ home }), before, targetOf(before), { who: 'n0' });
  put('train/cat/3.jpg', 'another cat');
  rmSync(join(local, 'train/cat/5.jpg'));
  const after = await manifestNow();
  expect(after.hash).not.toBe(before.hash);
  // A file that was damaged on the node must not be reused.
  writeFileSync(join(targetOf(before), 'train/cat/7.jpg'), 'spoiled');
  const shell = createLocalShell({ home });
  const { sent } = await sendFolder(shell, after, targetOf(after), { who: 'n0' });
  const size = (path: string): number => statSync(join(local, path)).size;
  // A name with a line break is sent again, since line-based tools cannot handle it.
  expect(sent).toBe(size('train/cat/3.jpg') + size('train/cat/7.jpg') + size('train/dog/a b\\c\nd.jpg'));
  for (const part of ['train', 'val']) {
    execFileSync('diff', ['-r', join(local, part), join(targetOf(after), part)]);
  }
});

test('fault 17: a reset connection loses only the data in transit; the rest is not sent again', async () => {
  const manifest = await manifestNow();
  const target = targetOf(manifest);
  let batches = 0;
  const torn = createLocalShell({
    home,
    before(script) {
      if (!script.includes('tar -x')) return;
      batches += 1;
      if (batches === 3) throw new RinglabError('connection_lost', { host: 'node' });
    },
  });
  await expect(sendFolder(torn, manifest, target, { who: 'n0' })).rejects.toMatchObject({
    code: 'connection_lost',
  });
  expect(await hasFolder(torn, target)).toBe(false);
  const again = createLocalShell({ home });
  const { sent } = await sendFolder(again, manifest, target, { who: 'n0' });
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(manifest.bytes);
  expect(stdinBytes(again)).toBeLessThan(manifest.bytes);
  execFileSync('diff', ['-r', join(local, 'train'), join(target, 'train')]);
});

test('fault 18: a file that arrives damaged is refused by name and never gets its final name', async () => {
  const manifest = await manifestNow();
  const target = targetOf(manifest);
  // The file changes, with the same length, between hashing and sending.
  put('train/cat/3.jpg', 'CAT 3 '.repeat(30_000));
  const failed = sendFolder(createLocalShell({ home }), manifest, target, { who: 'n0' });
  await expect(failed).rejects.toMatchObject({ code: 'hash_mismatch', params: { path: 'train/cat/3.jpg' } });
  expect(await hasFolder(createLocalShell({ home }), target)).toBe(false);
});

test('fault 23: a full disk is reported with needed and free bytes before anything is copied', async () => {
  const manifest = await manifestNow();
  // Simulates a node whose disk is full with a fake `df`.
  const path = programsOnly(join(folder, 'bin'), {
    df: '#!/bin/sh\necho heading\necho "/dev/vda 9000000 8999000 1000 99% /"\n',
  });
  const shell = createLocalShell({ home, path: `${path}:${process.env.PATH ?? ''}` });
  const failed = sendFolder(shell, manifest, targetOf(manifest), { who: 'n0' });
  await expect(failed).rejects.toMatchObject({ code: 'node_disk_full', params: { free: 1_024_000 } });
  await failed.catch((error: unknown) => {
    expect((error as RinglabError).params.needed).toBeGreaterThan(manifest.bytes);
  });
  // Names and hashes, to find out what is missing.
  expect(stdinBytes(shell)).toBeLessThan(3_000);
});

test('uncompressed files are compressed for the transfer', async () => {
  rmSync(join(local, 'train'), { recursive: true });
  put('train/cat/0.ppm', 'one colour '.repeat(20_000));
  const manifest = await manifestNow();
  const shell = createLocalShell({ home });
  expect((await sendFolder(shell, manifest, targetOf(manifest), { who: 'n0' })).sent).toBe(manifest.bytes);
  expect(stdinBytes(shell)).toBeLessThan(manifest.bytes / 20);
  execFileSync('diff', ['-r', join(local, 'train'), join(targetOf(manifest), 'train')]);
});

test('a disk that fills up during the transfer is reported, and files that arrived are kept', async () => {
  const manifest = await manifestNow();
  const path = programsOnly(join(folder, 'bin'), {
    tar: '#!/bin/sh\ncat > /dev/null\necho "tar: train: Cannot write: No space left on device" >&2\nexit 2\n',
  });
  const shell = createLocalShell({ home, path: `${path}:${process.env.PATH ?? ''}` });
  await expect(sendFolder(shell, manifest, targetOf(manifest), { who: 'n0' })).rejects.toMatchObject({
    code: 'node_disk_full',
  });
});

test('a repetition finds a file that was damaged later and removes the folder', async () => {
  const manifest = await manifestNow();
  const target = targetOf(manifest);
  const shell = createLocalShell({ home });
  await sendFolder(shell, manifest, target, { who: 'n0' });
  writeFileSync(join(target, 'val/cat/狗 🐕.jpg'), 'spoiled');
  expect(await verifyFolder(shell, target)).toBe(false);
  expect(await hasFolder(shell, target)).toBe(false);
});

test('a verification that is cut off removes nothing: it is no verdict', async () => {
  const manifest = await manifestNow();
  const target = targetOf(manifest);
  await sendFolder(createLocalShell({ home }), manifest, target, { who: 'n0' });
  const path = programsOnly(join(folder, 'bin'), { sha256sum: '#!/bin/sh\nkill -9 $$\n' });
  const shell = createLocalShell({ home, path: `${path}:${process.env.PATH ?? ''}` });
  await expect(verifyFolder(shell, target)).rejects.toMatchObject({
    code: 'command_failed',
    params: { code: 137 },
  });
  expect(await verifyFolder(createLocalShell({ home }), target)).toBe(true);
});

test('a file that is noted as there and is missing costs that file alone', async () => {
  const manifest = await manifestNow();
  const target = targetOf(manifest);
  const incoming = join(dirname(target), `.incoming-${manifest.name}-${manifest.hash}-n0`);
  mkdirSync(dirname(target), { recursive: true });
  await sendFolder(createLocalShell({ home }), manifest, target, { who: 'n0' });
  // As in the moment before it gets its name.
  renameSync(target, incoming);
  copyFileSync(join(incoming, '.ringlab-manifest'), join(incoming, '.ringlab-have'));
  rmSync(join(incoming, 'train/cat/3.jpg'));
  await expect(sendFolder(createLocalShell({ home }), manifest, target, { who: 'n0' })).rejects.toMatchObject(
    { code: 'transfer_failed', params: { reason: '15 of 16 files' } },
  );
  const { sent } = await sendFolder(createLocalShell({ home }), manifest, target, { who: 'n0' });
  expect(sent).toBe(180_000);
  execFileSync('diff', ['-r', join(local, 'train'), join(target, 'train')]);
});

test('an older version whose files are not all verified costs nothing that is there', async () => {
  const manifest = await manifestNow();
  const bring = join(home, 'elsewhere');
  await sendFolder(createLocalShell({ home }), manifest, bring, { who: 'n0' });
  const target = targetOf(manifest);
  let batches = 0;
  const torn = createLocalShell({
    home,
    before(script) {
      if (script.includes('tar -x') && (batches += 1) === 4)
        throw new RinglabError('connection_lost', { host: 'node' });
    },
  });
  await expect(sendFolder(torn, manifest, target, { who: 'n0' })).rejects.toMatchObject({
    code: 'connection_lost',
  });
  // Of the list of files to reuse it verifies one, as where its output meets a full disk.
  const path = programsOnly(join(folder, 'bin'), {
    sha256sum:
      '#!/bin/sh\ncase "$*" in *common*) /usr/bin/sha256sum "$@" | head -n 1; exit 1;; esac\nexec /usr/bin/sha256sum "$@"\n',
  });
  const shell = createLocalShell({ home, path: `${path}:${process.env.PATH ?? ''}` });
  const { sent } = await sendFolder(shell, manifest, target, {
    who: 'n0',
    bring: () => Promise.resolve(bring),
  });
  expect(sent).toBeLessThan(manifest.bytes);
  execFileSync('diff', ['-r', join(local, 'train'), join(target, 'train')]);
});

test('cancelling stops after a batch and keeps files that arrived for the next time', async () => {
  const manifest = await manifestNow();
  const stop = new AbortController();
  const sending = sendFolder(createLocalShell({ home }), manifest, targetOf(manifest), {
    who: 'n0',
    signal: stop.signal,
    onProgress: ({ done }) => {
      if (done > 0) stop.abort();
    },
  });
  await expect(sending).rejects.toSatisfy(() => stop.signal.aborted);
  const { sent } = await sendFolder(createLocalShell({ home }), manifest, targetOf(manifest), { who: 'n0' });
  expect(sent).toBeLessThan(manifest.bytes);
});

test('a missing part or an unreadable file is named', async () => {
  await expect(readFolder(local, { parts: ['train', 'test'] })).rejects.toMatchObject({
    code: 'data_missing',
    params: { path: join(local, 'test') },
  });
  execFileSync('ln', ['-s', 'nowhere', join(local, 'train/cat/broken.jpg')]);
  await expect(manifestNow()).rejects.toMatchObject({ code: 'file_unreadable' });
});

test('equal content has the same hash in any place, and links are followed once', async () => {
  const copy = join(folder, 'copy');
  mkdirSync(copy);
  execFileSync('cp', ['-r', join(local, 'train'), join(local, 'val'), copy]);
  execFileSync('ln', ['-s', '..', join(copy, 'train/cat/up')]);
  const [a, b] = [await manifestNow(), await readFolder(copy, { parts: ['train', 'val'] })];
  const without = b.files.filter(({ path }) => !path.includes('/up/'));
  expect(without).toEqual(a.files);
  expect(readFileSync(join(copy, 'val/cat/狗 🐕.jpg'), 'utf8')).toBe('val');
});

test('executable files are so on the node, also those that an older version there has not', async () => {
  put('train/run one.sh', '#!/bin/sh\n');
  put('train/large.sh', Buffer.alloc(5 * 1024 ** 2, 4));
  const of = (paths: readonly string[]): Promise<FolderManifest> =>
    readFolder(local, { parts: ['train'], executable: new Set(paths) });
  const isExecutable = (manifest: FolderManifest, path: string): boolean =>
    (statSync(join(targetOf(manifest), path)).mode & 0o111) !== 0;
  const plain = await of([]);
  await sendFolder(createLocalShell({ home }), plain, targetOf(plain), { who: 'n0' });
  const whole = await of(['train/run one.sh', 'train/large.sh']);
  expect(whole.hash).not.toBe(plain.hash);
  await sendFolder(createLocalShell({ home }), whole, targetOf(whole), { who: 'n0' });
  for (const path of ['train/run one.sh', 'train/large.sh']) {
    expect(isExecutable(whole, path)).toBe(true);
    expect(isExecutable(plain, path)).toBe(false);
  }
  expect(isExecutable(whole, 'train/cat/1.jpg')).toBe(false);
  rmSync(join(home, '.ringlab'), { recursive: true });
  await sendFolder(createLocalShell({ home }), whole, targetOf(whole), { who: 'n0' });
  expect(isExecutable(whole, 'train/run one.sh')).toBe(true);
});
