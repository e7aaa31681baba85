/**
 * For tests: a small distribution archive with real packages, a real Packages.xz, and an InRelease signed with its
 * own key.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createCleartextMessage, generateKey, readPrivateKey, sign, type PrivateKey } from 'openpgp';
import { createKeyring, type Keyring } from '../signed-release.ts';

export interface SignedArchive {
  /** The folder to serve; `dists/<suite>/InRelease` is in it. */
  readonly folder: string;
  /** The public key, as a file. */
  readonly keyFile: string;
  readonly keyring: Keyring;
  /** Writes and signs the lists of the pool, optionally with another key. */
  publish(change?: {
    date?: Date;
    validUntil?: Date;
    suite?: string;
    codename?: string;
    key?: PrivateKey;
  }): Promise<void>;
  /** The same packages as a flat archive like NVIDIA's, in this subfolder: no suite, only `Packages.gz`. */
  publishFlat(below: string, key?: PrivateKey): Promise<void>;
  readonly release: string;
}

export const newKey = async (): Promise<{ privateKey: PrivateKey; publicKey: string }> => {
  const made = await generateKey({
    userIDs: [{ name: 'Archive of a test' }],
    date: new Date(Date.now() - 86_400_000),
  });
  return { privateKey: await readPrivateKey({ armoredKey: made.privateKey }), publicKey: made.publicKey };
};

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** @param packages name → its dependencies */
export async function makeArchive(
  at: string,
  suite: string,
  packages: Readonly<Record<string, string>>,
): Promise<SignedArchive> {
  const [folder, pool] = [join(at, 'archive'), join(at, 'archive', 'pool')];
  mkdirSync(pool, { recursive: true });
  for (const [name, depends] of Object.entries(packages)) {
    const root = join(at, 'build', name);
    mkdirSync(join(root, 'DEBIAN'), { recursive: true });
    mkdirSync(join(root, 'usr/share', name), { recursive: true });
    writeFileSync(join(root, 'usr/share', name, 'content'), randomBytes(20_000));
    writeFileSync(
      join(root, 'DEBIAN/control'),
      `Package: ${name}\nVersion: 1:99.0+dfsg-1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\n${depends && `Depends: ${depends}\n`}Description: a package of a test\n more of it\n`,
    );
    execFileSync('dpkg-deb', ['--build', '--root-owner-group', root, pool], { stdio: 'pipe' });
  }
  const { privateKey, publicKey } = await newKey();
  const keyFolder = join(at, 'archive-keys');
  mkdirSync(keyFolder, { recursive: true });
  const keyFile = join(keyFolder, 'test.asc');
  writeFileSync(keyFile, publicKey);
  const lists = `main/binary-${execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim()}`;
  const dist = join(folder, 'dists', suite);
  const archive: SignedArchive = {
    folder,
    keyFile,
    keyring: createKeyring([keyFolder]),
    release: join(dist, 'InRelease'),
    async publish({
      date = new Date(),
      validUntil,
      suite: declaredSuite = suite,
      codename = suite,
      key = privateKey,
    } = {}) {
      mkdirSync(join(dist, lists), { recursive: true });
      const list = execFileSync('dpkg-scanpackages', ['--hash', 'sha256', 'pool'], {
        cwd: folder,
        stdio: 'pipe',
      });
      const xz = execFileSync('xz', ['-c'], { input: list });
      writeFileSync(join(dist, lists, 'Packages.xz'), xz);
      const text = [
        'Origin: Test',
        `Suite: ${declaredSuite}`,
        `Codename: ${codename}`,
        `Date: ${date.toUTCString()}`,
        ...(validUntil === undefined ? [] : [`Valid-Until: ${validUntil.toUTCString()}`]),
        `Architectures: ${lists.slice('main/binary-'.length)}`,
        'Components: main',
        'SHA256:',
        ` ${sha256(list)} ${list.length} ${lists}/Packages`,
        ` ${sha256(xz)} ${xz.length} ${lists}/Packages.xz`,
        '',
      ].join('\n');
      const message = await createCleartextMessage({ text });
      writeFileSync(archive.release, await sign({ message, signingKeys: key }));
    },
    async publishFlat(below, key = privateKey) {
      const flat = join(folder, below);
      cpSync(pool, flat, { recursive: true });
      const list = execFileSync('dpkg-scanpackages', ['--hash', 'sha256', '.'], { cwd: flat, stdio: 'pipe' });
      const gz = gzipSync(list);
      writeFileSync(join(flat, 'Packages.gz'), gz);
      const text = [
        'Origin: NVIDIA',
        'Label: NVIDIA CUDA',
        'Architecture: x86_64',
        `Date: ${new Date().toUTCString()}`,
        'SHA256:',
        ` ${sha256(list)} ${list.length} Packages`,
        ` ${sha256(gz)} ${gz.length} Packages.gz`,
        'Acquire-By-Hash: no',
        '',
      ].join('\n');
      const message = await createCleartextMessage({ text });
      writeFileSync(join(flat, 'InRelease'), await sign({ message, signingKeys: key }));
    },
  };
  await archive.publish();
  return archive;
}
