/** Finding 3: one node decides what others install, through what it says of packages, addresses and hashes. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AptClosure } from '../provision/bundle/index-file.ts';
import { parseClosure } from '../provision/download/apt-part.ts';
import { provenPart, proveClosure } from '../provision/bundle/proof.ts';
import { createKeyring } from '../provision/bundle/signed-release.ts';
import type { AptPart } from '../provision/bundle/index-file.ts';
import type { BundleStore } from '../provision/bundle/contract.ts';
import { emptyIndex } from '../provision/bundle/index-file.ts';
import { createBundleStore } from '../provision/bundle/store.ts';
import { makeArchive, newKey, type SignedArchive } from '../provision/bundle/testing/signed-archive.ts';
import { startFileServer, type FileServer } from '../transfer/testing/file-server.ts';

const system = { id: 'debian', version: '12', pretty: 'Debian GNU/Linux 12 (bookworm)', like: '' };
const now = new Date();
const hours = (count: number): Date => new Date(now.getTime() + count * 3_600_000);

let folder = '';
let archive: SignedArchive;
let mirror: FileServer;
let store: BundleStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-proof-'));
  archive = await makeArchive(folder, 'bookworm', { 'libtorch9.9': 'ringlab-tiny', 'ringlab-tiny': '' });
  mirror = await startFileServer(archive.folder);
  store = createBundleStore(join(folder, 'bundle'), { keyring: archive.keyring, allows: () => true });
});
afterEach(async () => {
  await mirror.close();
  rmSync(folder, { recursive: true, force: true });
});

const path = 'main/binary-amd64/Packages';
const closure = (change: Partial<AptClosure['lists'][number]> = {}, names = ['libtorch9.9']): AptClosure => ({
  lists: [{ uri: `${mirror.url}/`, suite: 'bookworm', path, ...change }],
  packages: names.map((name) => ({ name, version: '1:99.0+dfsg-1' })),
});
const prove = (said = closure(), before?: AptPart, to = store) =>
  proveClosure(said, system, 'x86_64', before, {
    store: to,
    signal: new AbortController().signal,
    now,
    log: () => undefined,
  });
const partOf = async (): Promise<AptPart> => {
  const { lists, packages } = await prove();
  return { system: 'debian 12', arch: 'x86_64', lists: [...lists], packages: [...packages] };
};
const refused = (reason: RegExp): object => ({
  code: 'archive_refused',
  params: { reason: expect.stringMatching(reason) as string },
});

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')(
  'finding 3: lists of packages',
  () => {
    it('accepts packages signed by the archive, with their hashes and addresses', async () => {
      const { packages } = await prove();
      expect(packages).toMatchObject([
        { name: 'libtorch9.9', url: `${mirror.url}/pool/libtorch9.9_99.0%2bdfsg-1_all.deb` },
      ]);
    });

    it('finding 3: refuses a package that is in no signed list', async () => {
      await expect(prove(closure({}, ['libtorch9.9', 'backdoor']))).rejects.toMatchObject(
        refused(/^backdoor=.* in no signed list/),
      );
    });

    it('finding 3: refuses lists that are unsigned or signed by another key', async () => {
      await archive.publish({ key: (await newKey()).privateKey });
      await expect(prove()).rejects.toMatchObject(refused(/signature is not valid/));
      writeFileSync(archive.release, 'Suite: bookworm\nCodename: bookworm\n');
      await expect(prove()).rejects.toMatchObject(refused(/signature is not valid|no signature/));
    });

    it('finding 3: ignores lines outside the signed part', async () => {
      const evil = ` ${'0'.repeat(64)} 10 ${path}.xz`;
      const signed = readFileSync(archive.release, 'utf8');
      writeFileSync(archive.release, `SHA256:\n${evil}\n\n${signed}`);
      const { packages } = await prove().catch(() => ({ packages: [] as { name: string }[] }));
      // Refused, or read as it was signed; never with the line before it.
      expect(packages.map(({ name }) => name)).toSatisfy(
        (names: string[]) => names.length === 0 || names[0] === 'libtorch9.9',
      );
      writeFileSync(
        archive.release,
        signed.replace(/^ [0-9a-f]{64} (\d+ \S+\.xz)$/m, ` ${'0'.repeat(64)} $1`),
      );
      await expect(prove()).rejects.toMatchObject(refused(/signature is not valid/));
    });

    it('finding 3: refuses lists that are expired or not yet valid', async () => {
      await archive.publish({ date: hours(-200), validUntil: hours(-1) });
      await expect(prove()).rejects.toMatchObject(refused(/were valid until/));
      await archive.publish({ date: hours(72) });
      await expect(prove()).rejects.toMatchObject(refused(/of the future|signature is not valid/));
    });

    it('finding 3: refuses lists older than the last ones, with vulnerable packages', async () => {
      await archive.publish({ date: hours(-1) });
      const before = await partOf();
      await archive.publish({ date: hours(-2000) });
      await expect(prove(closure(), before)).rejects.toMatchObject(refused(/are older than those of/));
    });

    it('finding 3: refuses another suite under this suite’s name, and another release than the node’s', async () => {
      await archive.publish({ suite: 'unstable', codename: 'sid' });
      await expect(prove()).rejects.toMatchObject(refused(/says that it is sid/));
      mkdirSync(join(archive.folder, 'dists', 'sid', 'main', 'binary-amd64'), { recursive: true });
      for (const file of ['InRelease', `${path}.xz`])
        writeFileSync(
          join(archive.folder, 'dists', 'sid', file),
          readFileSync(join(archive.folder, 'dists', 'bookworm', file)),
        );
      await expect(prove(closure({ suite: 'sid' }))).rejects.toMatchObject(
        refused(/is of sid, and the node/),
      );
    });

    it('finding 3: refuses a list or package that a mirror has changed', async () => {
      mirror.spoil = (asked, bytes) => (asked.endsWith('.xz') ? Buffer.alloc(bytes.length, 7) : bytes);
      await expect(prove()).rejects.toMatchObject({ code: 'hash_mismatch' });
      mirror.spoil = (asked, bytes) => (asked.endsWith('.xz') ? Buffer.concat([bytes, bytes]) : bytes);
      await expect(prove()).rejects.toMatchObject({ code: 'download_too_large' });
      mirror.spoil = (_, bytes) => bytes;
      const [one] = (await prove()).packages;
      mirror.spoil = (_, bytes) => Buffer.alloc(bytes.length);
      await expect(store.fetch(one!, new AbortController().signal)).rejects.toMatchObject({
        code: 'hash_mismatch',
      });
      expect(readdirSync(join(store.folder, 'objects')).filter((name) => name.endsWith('.part'))).toEqual([]);
    });

    it('finding 3: refuses addresses of this computer, its network and its files', async () => {
      const own = createBundleStore(join(folder, 'own'), { keyring: archive.keyring });
      for (const uri of [
        `${mirror.url}/`,
        'http://[::ffff:127.0.0.1]/',
        'http://169.254.169.254/',
        'http://10.0.0.1/',
      ])
        await expect(prove(closure({ uri }), undefined, own)).rejects.toMatchObject({
          code: 'download_failed',
        });
      await expect(prove(closure({ uri: `file:${archive.folder}/` }))).rejects.toMatchObject({
        code: 'download_failed',
      });
      expect(mirror.asked).toEqual([]);
    });

    it('finding 3: refuses a foreign bundle whose index differs from the signed lists', async () => {
      const part = await partOf();
      for (const one of (await prove()).packages) await store.fetch(one, new AbortController().signal);
      const evil = Buffer.from('a package with a backdoor');
      const sha256 = createHash('sha256').update(evil).digest('hex');
      writeFileSync(store.path(sha256), evil);
      const forged = {
        ...part,
        packages: part.packages.map((one) => ({ ...one, sha256, size: evil.length })),
      };
      await store.change((index) => ({ ...index, apt: [forged] }));
      const mine = createBundleStore(join(folder, 'mine'), { keyring: archive.keyring });
      await expect(mine.join(store, { programs: false })).rejects.toMatchObject(
        refused(/not in a signed list/),
      );
      expect((await mine.read()).apt).toEqual([]);
      // Neither is it used where it lies already.
      await expect(provenPart(store, forged)).rejects.toMatchObject({ code: 'archive_refused' });
      await expect(provenPart({ ...store, keyring: createKeyring([]) }, part)).rejects.toMatchObject(
        refused(/signature is not valid/),
      );
      await expect(provenPart(store, part)).resolves.toMatchObject({ packages: [{ name: 'libtorch9.9' }] });
    });

    it('accepts a flat archive, as NVIDIA’s, with its own key and for its own system', async () => {
      const below = 'compute/cuda/repos/debian12/x86_64';
      await archive.publishFlat(below);
      const flat = closure({ uri: `${mirror.url}/${below}/`, suite: '', path: 'Packages' });
      const { lists, packages } = await prove(flat);
      expect(packages).toMatchObject([
        { name: 'libtorch9.9', url: `${mirror.url}/${below}/./libtorch9.9_99.0%2bdfsg-1_all.deb` },
      ]);
      const part = { system: 'debian 12', arch: 'x86_64', lists: [...lists], packages: [...packages] };
      await expect(provenPart(store, part)).resolves.toMatchObject({ packages: [{ name: 'libtorch9.9' }] });
      await store.fetch(packages[0]!, new AbortController().signal);
      // apt's other ways to write it.
      await prove(
        closure({ uri: `${mirror.url}/compute/cuda/repos/`, suite: 'debian12/x86_64/', path: 'Packages' }),
      );

      await archive.publishFlat('compute/cuda/repos/ubuntu2204/x86_64');
      const other = `${mirror.url}/compute/cuda/repos/ubuntu2204/x86_64/`;
      await expect(prove(closure({ uri: other, suite: '/', path: 'Packages' }))).rejects.toMatchObject(
        refused(/is for ubuntu2204, and the node says that it is debian 12/),
      );
      await archive.publishFlat(below, (await newKey()).privateKey);
      await expect(prove(flat)).rejects.toMatchObject(refused(/signature is not valid/));
    });

    it('finding 3: refuses a suite declared as a flat archive, and keys for another kind of archive', async () => {
      const disguised = closure({ uri: `${mirror.url}/dists/bookworm/`, suite: '' });
      await expect(prove(disguised)).rejects.toMatchObject(refused(/a flat archive has no main/));
      const keys = join(folder, 'shipped');
      mkdirSync(keys);
      const read = (name: string, said: AptClosure): Promise<unknown> => {
        rmSync(join(keys, 'nvidia-cuda.asc'), { force: true });
        rmSync(join(keys, 'debian-12.asc'), { force: true });
        writeFileSync(join(keys, name), readFileSync(archive.keyFile));
        const to = createBundleStore(join(folder, name), {
          keyring: createKeyring([keys]),
          allows: () => true,
        });
        return prove(said, undefined, to);
      };
      await archive.publishFlat('flat');
      const flat = closure({ uri: `${mirror.url}/flat/`, suite: '', path: 'Packages' });
      await expect(read('nvidia-cuda.asc', flat)).resolves.toBeDefined();
      await expect(read('nvidia-cuda.asc', closure())).rejects.toMatchObject(
        refused(/signature is not valid/),
      );
      await expect(read('debian-12.asc', closure())).resolves.toBeDefined();
      await expect(read('debian-12.asc', flat)).rejects.toMatchObject(refused(/signature is not valid/));
    });

    it('finding 3: keeps no unsigned package of a bundle of an earlier version', async () => {
      const stanza = 'Package: libtorch2\nVersion: 1\n';
      const apt = [
        { system: 'debian 12', arch: 'x86_64', packages: [{ stanza, sha256: '0'.repeat(64), size: 1 }] },
      ];
      mkdirSync(store.folder, { recursive: true });
      writeFileSync(join(store.folder, 'bundle.json'), JSON.stringify({ ...emptyIndex, version: 1, apt }));
      expect(await store.read()).toEqual(emptyIndex);
    });
  },
);

describe('finding 3: the apt plan that a node reports', () => {
  const good = `list http://deb.example.org/debian/ bookworm ${path}\npackage libtorch2.0 2.0.1+dfsg-5\n`;
  it('consists of names, versions and lists', () => {
    expect(parseClosure(good)).toEqual({
      lists: [{ uri: 'http://deb.example.org/debian/', suite: 'bookworm', path }],
      packages: [{ name: 'libtorch2.0', version: '2.0.1+dfsg-5' }],
    });
  });
  it('may name a flat archive', () => {
    const said = `list https://developer.example.org/repos/debian12/x86_64/  Packages\n${good}`;
    expect(parseClosure(said)?.lists[0]).toEqual({
      uri: 'https://developer.example.org/repos/debian12/x86_64/',
      suite: '',
      path: 'Packages',
    });
  });
  it.each([
    'list http://m/ ../ Packages',
    'list http://m/ /etc/ Packages',
    'package libtorch2.0 $(id)',
    'package -o=Dpkg::Pre-Invoke::=id 1',
    'package Evil\u0007 1',
    'package a/b 1',
    'list http://m/ ../../etc main/binary-amd64/Packages',
    'list http://m/ bookworm main/../../x/Packages',
    'list http://m/ bookworm main/bin ary/Packages',
    'list not-an-address bookworm main/binary-amd64/Packages',
    '\u001b]0;title\u0007',
    'Inst libtorch2.0 (2.0.1)',
  ])('finding 3: is refused if it is %j', (line) => {
    expect(parseClosure(`${good}${line}\n`)).toBeUndefined();
  });
  it('finding 3: is refused if it names more packages than exist', () => {
    const names = Array.from({ length: 5001 }, (_, index) => `package p${index} 1`).join('\n');
    expect(parseClosure(names)).toBeUndefined();
  });
});
