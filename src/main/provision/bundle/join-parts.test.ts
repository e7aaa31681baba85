/** Tests what is left of a distribution's packages when bundles are joined, with small signed archives. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFileServer } from '../../transfer/testing/file-server.ts';
import type { BundleStore } from './contract.ts';
import type { AptPart } from './index-file.ts';
import { provenPart, proveClosure } from './proof.ts';
import { createKeyring } from './signed-release.ts';
import { createBundleStore } from './store.ts';
import { makeArchive } from './testing/signed-archive.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-join-parts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const system = { id: 'debian', version: '12', pretty: 'Debian GNU/Linux 12 (bookworm)', like: '' };
const hoursAgo = (count: number): Date => new Date(Date.now() - count * 3_600_000);
const keysOf = (...names: string[]) => createKeyring(names.map((name) => join(folder, name, 'archive-keys')));

/** A bundle with these packages for Debian 12, of an archive that was signed then. */
async function stick(name: string, packages: readonly string[], date: Date): Promise<BundleStore> {
  const at = join(folder, name);
  const archive = await makeArchive(at, 'bookworm', Object.fromEntries(packages.map((one) => [one, ''])));
  await archive.publish({ date });
  const server = await startFileServer(archive.folder);
  const store = createBundleStore(join(at, 'bundle'), { keyring: archive.keyring, allows: () => true });
  const { signal } = new AbortController();
  const closure = {
    lists: [{ uri: `${server.url}/`, suite: 'bookworm', path: 'main/binary-amd64/Packages' }],
    packages: packages.map((one) => ({ name: one, version: '1:99.0+dfsg-1' })),
  };
  const how = { store, signal, now: new Date(), log: () => undefined };
  const proven = await proveClosure(closure, system, 'x86_64', undefined, how);
  for (const one of proven.packages) await store.fetch(one, signal);
  await server.close();
  const kept = proven.packages.map(({ name: of, version, sha256, size }) => ({
    name: of,
    version,
    sha256,
    size,
  }));
  const part: AptPart = { system: 'debian 12', arch: 'x86_64', lists: [...proven.lists], packages: kept };
  await store.change((index) => ({ ...index, apt: [part] }));
  return store;
}

const partOf = async (store: BundleStore): Promise<AptPart> => {
  const [part, ...others] = (await store.read()).apt;
  if (part === undefined || others.length > 0) throw new Error('not one part');
  return part;
};
const names = ({ packages }: AptPart): string[] => packages.map(({ name }) => name).sort();

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('bundles that are joined', () => {
  const programs = { programs: false };

  it('keep what each brought for one distribution, and of a package the version that was signed later', async () => {
    const earlier = await stick('earlier', ['libtorch', 'zlib1g'], hoursAgo(48));
    const later = await stick('later', ['python3-venv', 'zlib1g'], hoursAgo(24));
    const newest = (await partOf(later)).packages.find(({ name }) => name === 'zlib1g');
    for (const order of [
      [earlier, later],
      [later, earlier],
    ]) {
      const mine = createBundleStore(mkdtempSync(join(folder, 'mine-')), {
        keyring: keysOf('earlier', 'later'),
      });
      for (const one of order) await mine.join(one, programs);
      const part = await partOf(mine);
      expect(names(part)).toEqual(['libtorch', 'python3-venv', 'zlib1g']);
      expect(part.packages).toContainEqual(newest);
      const { date } = await provenPart(mine, part);
      expect(Math.abs(date.getTime() - hoursAgo(24).getTime())).toBeLessThan(3_600_000);
      // Joined once more, it has gathered nothing.
      await mine.join(earlier, programs);
      expect(await partOf(mine)).toEqual(part);
      expect(part.lists).toHaveLength(2);
    }
  });

  it('leave out what was here and is not signed by a key of this computer', async () => {
    const [strange, known] = [
      await stick('strange', ['libtorch'], hoursAgo(2)),
      await stick('known', ['zlib1g'], hoursAgo(24)),
    ];
    const place = join(folder, 'mine');
    await createBundleStore(place, { keyring: keysOf('strange') }).join(strange, programs);
    const mine = createBundleStore(place, { keyring: keysOf('known') });
    await mine.join(known, programs);
    expect(names(await partOf(mine))).toEqual(['zlib1g']);
  });
});
