import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readFolder, type FolderManifest } from './folder-manifest.ts';
import { relayFolder } from './relay-folder.ts';
import { sendFolder } from './send-folder.ts';
import { createLocalShell, programsOnly, type LocalShell } from '../ssh/testing/local-shell.ts';
import { lineIn, type Line } from '../../shared/base/phrase.ts';

let folder = '';
let manifest: FolderManifest;
let source = '';
let giver: LocalShell;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-relay-'));
  const local = join(folder, 'pets');
  const put = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(local, path)), { recursive: true });
    writeFileSync(join(local, path), content);
  };
  for (let index = 0; index < 40; index += 1) put(`train/cat/${index}.jpg`, Buffer.alloc(50_000, index));
  put('train/狗 🐕/a b\\c\nd.jpg', 'dog');
  put('val/cat/empty.jpg', '');
  manifest = await readFolder(local, { parts: ['train', 'val'] });
  giver = createLocalShell({ home: homeOf('giver') });
  source = join(homeOf('giver'), 'pets-1');
  await sendFolder(giver, manifest, source, { who: 'n0' });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const homeOf = (name: string): string => {
  mkdirSync(join(folder, name), { recursive: true });
  return join(folder, name);
};
const stdin = (shell: LocalShell): number => shell.stdins.reduce((sum, bytes) => sum + bytes, 0);
const uploaded = (shell: LocalShell): number => shell.uploads.reduce((sum, { sent }) => sum + sent, 0);

test('a folder is relayed from node to node; this computer sends only its list of files', async () => {
  const taker = createLocalShell({ home: homeOf('taker') });
  const target = join(homeOf('taker'), 'pets-1');
  const { relayed } = await relayFolder(
    giver,
    taker,
    manifest,
    { source, target, addresses: ['127.0.0.1'] },
    { who: 'n1' },
  );
  expect(relayed).toBe(manifest.bytes);
  execFileSync('diff', ['-r', source, target]);
  expect(stdin(taker) + uploaded(taker)).toBeLessThan(manifest.bytes * 0.05);
  expect(readdirSync(homeOf('taker'))).toEqual(['pets-1']);
});

test('an address that does not answer is skipped; if none does, this is reported', async () => {
  const taker = createLocalShell({ home: homeOf('taker') });
  const target = join(homeOf('taker'), 'pets-1');
  const lines: string[] = [];
  const addresses = ['127.1.2.3', '127.0.0.1'];
  // A name that never resolves simulates an address behind a firewall, without its four seconds.
  await relayFolder(
    giver,
    taker,
    manifest,
    { source, target, addresses: ['nowhere.invalid', ...addresses] },
    {
      who: 'n1',
      log: (line) => lines.push(lineIn(line, 'en')),
    },
  );
  expect(lines.join('\n')).toMatch(/nowhere\.invalid:\d+ does not answer/);
  const other = join(homeOf('taker'), 'pets-2');
  await expect(
    relayFolder(
      giver,
      taker,
      manifest,
      { source, target: other, addresses: ['nowhere.invalid'] },
      { who: 'n1' },
    ),
  ).rejects.toMatchObject({
    code: 'transfer_failed',
    params: { reason: 'no address of the other node answers' },
  });
});

test('an interrupted relay resumes: complete files are kept, a partial one is fetched again', async () => {
  const taker = createLocalShell({ home: homeOf('taker') });
  const target = join(homeOf('taker'), 'pets-1');
  const incoming = join(homeOf('taker'), '.incoming-pets-1-n1');
  mkdirSync(join(incoming, 'train', 'cat'), { recursive: true });
  // The remains of an interrupted relay.
  writeFileSync(join(incoming, '.ringlab-relayed'), '');
  const manifestText = execFileSync('cat', [join(source, '.ringlab-manifest')]);
  writeFileSync(join(incoming, '.ringlab-manifest'), manifestText);
  writeFileSync(join(incoming, 'train', 'cat', '3.jpg'), Buffer.alloc(50_000, 3));
  writeFileSync(join(incoming, 'train', 'cat', '4.jpg'), Buffer.alloc(20_000, 4));
  const { relayed } = await relayFolder(
    giver,
    taker,
    manifest,
    { source, target, addresses: ['127.0.0.1'] },
    { who: 'n1' },
  );
  expect(relayed).toBe(manifest.bytes - 50_000);
  execFileSync('diff', ['-r', source, target]);
});

test('one wrong file at the other node costs that file alone in later attempts, by whomever', async () => {
  const taker = createLocalShell({ home: homeOf('taker') });
  const way = { source, target: join(homeOf('taker'), 'pets-1'), addresses: ['127.0.0.1'] };
  writeFileSync(join(source, 'train', 'cat', '7.jpg'), Buffer.alloc(50_000, 99));
  const lines: string[] = [];
  const log = (line: Line): void => void lines.push(lineIn(line, 'en'));
  for (let turn = 0; turn < 2; turn += 1)
    await expect(relayFolder(giver, taker, manifest, way, { who: 'n1', log })).rejects.toMatchObject({
      code: 'hash_mismatch',
      params: { path: 'train/cat/7.jpg' },
    });
  expect(lines).toContainEqual(expect.stringMatching(/^41 of 42 files are there/));
  expect(await sendFolder(taker, manifest, way.target, { who: 'n1' })).toEqual({ sent: 50_000 });
});

test('a file that has grown at the other node does not cost those that came before it', async () => {
  const taker = createLocalShell({ home: homeOf('taker') });
  const way = { source, target: join(homeOf('taker'), 'pets-1'), addresses: ['127.0.0.1'] };
  writeFileSync(join(source, 'train', 'cat', '9.jpg'), Buffer.alloc(900_000, 99));
  await expect(relayFolder(giver, taker, manifest, way, { who: 'n1' })).rejects.toMatchObject({
    code: 'transfer_failed',
    params: { reason: 'the other node sends more than it was asked for' },
  });
  // In byte order 9.jpg is the last of its folder; what comes in one block with too much is not taken.
  const { sent } = await sendFolder(taker, manifest, way.target, { who: 'n1' });
  expect(sent).toBeLessThan(manifest.bytes / 2);
});

test.skipIf(process.getuid?.() !== 0)(
  'a folder that cannot be cleaned is left aside, and the data set comes into another',
  async () => {
    const home = homeOf('taker');
    const incoming = join(home, '.incoming-pets-1-n1');
    mkdirSync(join(incoming, 'of root'), { recursive: true });
    for (const path of ['of root/more.jpg', '.ringlab-relayed']) writeFileSync(join(incoming, path), '');
    for (const path of [home, incoming]) chownSync(path, 65534, 65534);
    chmodSync(folder, 0o755);
    const through = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
    const target = join(home, 'pets-1');
    await sendFolder(createLocalShell({ home, through }), manifest, target, { who: 'n1' });
    execFileSync('diff', ['-r', source, target]);
    expect(readdirSync(home)).toEqual([
      expect.stringMatching(/^\.incoming-pets-1-n1-left-\d+-\d+$/),
      'pets-1',
    ]);
  },
);

test('a verification that is cut off is no damage: nothing that came is removed, and the next attempt has it', async () => {
  // Once files have come; that of the list itself gets to its end.
  const cut =
    '#!/bin/sh\n[ -d train ] && [ "$*" = "-c .ringlab-manifest" ] || exec /usr/bin/sha256sum "$@"\n/usr/bin/sha256sum "$@" | head -n 5; kill -9 $$\n';
  const path = programsOnly(join(folder, 'bin'), { sha256sum: cut });
  const home = homeOf('taker');
  const way = { source, target: join(home, 'pets-1'), addresses: ['127.0.0.1'] };
  const taker = createLocalShell({ home, path: `${path}:${process.env.PATH ?? ''}` });
  for (let turn = 0; turn < 2; turn += 1)
    await expect(relayFolder(giver, taker, manifest, way, { who: 'n1' })).rejects.toMatchObject({
      code: 'transfer_failed',
      params: { reason: 'not all files were verified: sha256sum ended with 137' },
    });
  expect(await sendFolder(createLocalShell({ home }), manifest, way.target, { who: 'n1' })).toEqual({
    sent: 0,
  });
  execFileSync('diff', ['-r', source, way.target]);
});

test('a node without Perl is reported', async () => {
  const path = programsOnly(join(folder, 'bin'), {
    perl: '#!/bin/sh\necho "perl: not found" >&2; exit 127\n',
  });
  const taker = createLocalShell({ home: homeOf('taker'), path: `${path}:${process.env.PATH ?? ''}` });
  const way = { source, target: join(homeOf('taker'), 'pets-1'), addresses: ['127.0.0.1'] };
  await expect(relayFolder(giver, taker, manifest, way, { who: 'n1' })).rejects.toMatchObject({
    code: 'transfer_failed',
  });
});
