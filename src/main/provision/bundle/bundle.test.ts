/** Tests a bundle made by the real apt from a small signed archive, and a node without internet that installs from it. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBundleStep } from '../service/bundle-maker.ts';
import type { Step } from '../engine/step.ts';
import { createKeyring } from './signed-release.ts';
import { aptNode, installed } from './testing/apt-node.ts';
import type { BundleStore } from './contract.ts';
import { createBundleStore } from './store.ts';
import { systemClock } from '../../base/clock.ts';
import { installPackages, runtimePackages } from '../download/packages.ts';
import {
  createCondaRuntime,
  createLockBook,
  createUvKeeper,
  createWheelsRuntime,
  systemRuntime,
} from '../runtime/index.ts';
import { startFileServer } from '../../transfer/testing/file-server.ts';
import { makeArchive } from './testing/signed-archive.ts';
import { ownOrigin, type TrainerOrigin } from '../node/trainer-origin.ts';

let folder = '';
let store: BundleStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-bundle-'));
  store = createBundleStore(join(folder, 'bundle'), { keyring: createKeyring([]), allows: anywhere });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const anywhere = (): boolean => true;

/** Packages under the names that the trainer needs; the first depends on one that Ringlab does not name. */
const packages = {
  'libtorch9.9': 'ringlab-tiny',
  'ringlab-tiny': '',
  'libjpeg62-turbo': '',
  libtiff6: '',
  libwebpdemux2: '',
  zlib1g: '',
};

const bundleStep = (origin?: TrainerOrigin): Step =>
  createBundleStep({
    store,
    conda: createCondaRuntime({
      locks: createLockBook(join(folder, 'locks')),
      micromamba: join(folder, 'micromamba'),
      bundle: store,
      clock: systemClock,
    }),
    wheels: createWheelsRuntime({
      uv: createUvKeeper(join(folder, 'uv')),
      home: folder,
      shared: join(folder, 'wheels'),
    }),
    // Of this computer it fits every node, so that no compilers are needed.
    shelf: {
      find: () => Promise.resolve({ path: join(folder, 'trainer'), sha256: '', origin }),
      plain: () => Promise.resolve(undefined),
    },
    sources: () => Promise.resolve({ hash: 'h' }),
    clock: systemClock,
  });

/** An archive of these packages for this system, which the bundle that is made now trusts. */
async function served(
  all: Readonly<Record<string, string>>,
): Promise<{ sources: string; close: () => Promise<void> }> {
  const suite = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? '';
  const archive = await makeArchive(folder, suite, all);
  const server = await startFileServer(archive.folder);
  store = createBundleStore(join(folder, 'bundle'), { keyring: archive.keyring, allows: anywhere });
  return {
    sources: `deb [signed-by=${archive.keyFile}] ${server.url} ${suite} main\n`,
    close: () => server.close(),
  };
}

describe('packages of the distribution', () => {
  it.skipIf(process.getuid?.() !== 0)(
    'have the compilers where the node that was asked built its own trainer, which runs there alone',
    async () => {
      writeFileSync(join(folder, 'trainer'), 'a trainer');
      const libtorch = { version: '9.9', abi: 'cxx11' } as const;
      const expected = vi.spyOn(systemRuntime, 'expected').mockResolvedValue(libtorch);
      onTestFinished(() => {
        expected.mockRestore();
      });
      const tools = [
        'g++',
        'cmake',
        'ninja-build',
        'libtorch-dev',
        'libjpeg-dev',
        'zlib1g-dev',
        'libtiff-dev',
      ];
      const all = { ...packages, ...Object.fromEntries([...tools, 'libwebp-dev'].map((name) => [name, ''])) };
      const { sources, close } = await served(all);
      const { context } = await aptNode(folder, 'connected', { sources, status: installed });
      await bundleStep({ by: 'node', machine: 'm', place: 'ada@h', name: 'A', at: 0 }).apply(context);
      await close();
      const { apt, trainers } = await store.read();
      expect(apt[0]?.packages.map(({ name }) => name)).toEqual(expect.arrayContaining(tools));
      expect(trainers).toHaveLength(1);
    },
  );

  // Packages are installed from a copy that only root can change.
  it.skipIf(process.getuid?.() !== 0)(
    'are downloaded once with their dependencies; a node without sources gets only its missing ones',
    async () => {
      writeFileSync(join(folder, 'trainer'), 'a trainer');
      const { sources, close } = await served(packages);
      const connected = await aptNode(folder, 'connected', { sources, status: installed });
      // The candidate that reports which trainer will fit.
      const step = bundleStep();
      expect(await step.check(connected.context)).toBeUndefined();
      expect((await store.read()).apt).toEqual([]);
      await step.apply(connected.context);
      expect((await step.verify(connected.context)).en).toMatch(/MB/);
      // A second node of this kind needs nothing more.
      expect((await step.check(connected.context))?.en).toContain(' · system');
      const index = await store.read();
      expect(index.apt[0]?.packages.map(({ name }) => name).sort()).toEqual(
        ['libjpeg62-turbo', 'libtiff6', 'libtorch9.9', 'libwebpdemux2', 'ringlab-tiny', 'zlib1g'].sort(),
      );
      const again = await aptNode(folder, 'again', { sources, status: '' });
      await bundleStep().apply(again.context);
      expect(again.log()).toContain('; 0 fetched now');
      await close();

      const offline = await aptNode(folder, 'offline', { sources: '', status: installed, bundle: store });
      await installPackages(offline.context, runtimePackages, 'node_no_libtorch');
      const debs = offline.shell.uploads.filter(({ path }) => path.endsWith('.deb'));
      expect(debs.map(({ sent }) => sent > 0)).toEqual([true, true, true, true, true]);
      expect(offline.log()).toContain('5 of 6 packages are missing here');
      expect(offline.log()).toMatch(/Inst libtorch9\.9 \(1:99\.0\+dfsg-1/);
      expect(offline.log()).not.toContain('Inst ringlab-tiny');

      // Interrupted after some, it goes on with the others: what lies there is not sent again.
      offline.shell.uploads.length = 0;
      await installPackages(offline.context, runtimePackages, 'node_no_libtorch');
      expect(offline.shell.uploads.reduce((sum, { sent }) => sum + sent, 0)).toBe(0);
    },
  );
});

describe('the store', () => {
  const all = { programs: true };
  const kept = (fingerprint: string, sha256: string) => ({ fingerprint, sha256, origin: ownOrigin(1000) });

  it('resumes a download, and refuses files with another hash', async () => {
    const content = randomBytes(400_000);
    const ranges: string[] = [];
    let cut = 150_000;
    // A minimal HTTP server whose first answer breaks off.
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (head: Buffer) => {
        const from = Number(/^range: bytes=(\d+)-/im.exec(head.toString('latin1'))?.[1] ?? 0);
        ranges.push(String(from));
        const rest = content.subarray(from);
        socket.write(
          `HTTP/1.1 ${from > 0 ? '206 Partial Content' : '200 OK'}\r\nContent-Length: ${rest.length}\r\nConnection: close\r\n\r\n`,
        );
        const part = rest.subarray(0, cut);
        socket.write(part, () => (part.length < rest.length ? socket.destroy() : socket.end()));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/one`;
    const { signal } = new AbortController();
    const wanted = { url, sha256: hash(content) };
    await expect(store.fetch(wanted, signal)).rejects.toMatchObject({ code: 'download_failed' });
    cut = content.length;
    const { fetched } = await store.fetch(wanted, signal);
    expect(ranges[0]).toBe('0');
    expect(Number(ranges[1])).toBe(content.length - fetched);
    expect(readFileSync(store.path(hash(content))).equals(content)).toBe(true);
    expect(await store.fetch(wanted, signal)).toEqual({ sha256: hash(content), fetched: 0 });
    await expect(store.fetch({ url, sha256: '0'.repeat(64) }, signal)).rejects.toMatchObject({
      code: 'hash_mismatch',
    });
    server.close();
  });

  it('imports new files of another store, and refuses those damaged in transit', async () => {
    const other = createBundleStore(join(folder, 'stick'), { keyring: store.keyring });
    writeFileSync(join(folder, 'a'), 'first');
    writeFileSync(join(folder, 'b'), 'second');
    const [a, b] = [await other.keep(join(folder, 'a')), await other.keep(join(folder, 'b'))];
    await other.change((index) => ({ ...index, trainers: [kept('f1', a)], micromamba: { 'linux-64': b } }));
    expect(await store.join(other, all)).toEqual({ objects: 2, bytes: 11, programsLeft: 0 });
    expect(await store.join(other, all)).toEqual({ objects: 0, bytes: 0, programsLeft: 0 });
    expect((await store.read()).trainers).toMatchObject([{ fingerprint: 'f1', sha256: a }]);
    writeFileSync(join(folder, 'c'), 'third');
    const c = await other.keep(join(folder, 'c'));
    await other.change((index) => ({ ...index, trainers: [...index.trainers, kept('f2', c)] }));
    writeFileSync(other.path(c), 'thirt');
    await expect(store.join(other, all)).rejects.toMatchObject({ code: 'hash_mismatch' });
    expect((await store.read()).trainers).toHaveLength(1);
    rmSync(other.path(c));
    await expect(store.join(other, all)).rejects.toMatchObject({
      code: 'file_unreadable',
      params: { path: other.path(c) },
    });
  });
});
