/** Finding 3: a lock that one node solved is used on others. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLockBook, explicitList, type Lock } from '../provision/runtime/lock.ts';
import { packageOf } from '../provision/runtime/solve.ts';

const channel = 'https://conda.anaconda.org/conda-forge';
const of = { channel, platform: 'linux-64' };
const reported = {
  name: 'libtorch',
  version: '2.4.1',
  build_string: 'cpu_h3',
  fn: 'libtorch-2.4.1-cpu_h3.conda',
  subdir: 'linux-64',
  url: `${channel}/linux-64/libtorch-2.4.1-cpu_h3.conda`,
  size: 50_000_000,
  sha256: 'ab'.repeat(32),
  depends: ['__glibc >=2.17,<3.0.a0', 'libblas 3.9.* *openblas'],
};

describe('finding 3: a package in a lock file', () => {
  it('is accepted as conda writes it, and requested by its SHA-256', () => {
    const one = packageOf(reported, false, of);
    expect(explicitList([one], channel)).toBe(
      `@EXPLICIT\n${channel}/linux-64/libtorch-2.4.1-cpu_h3.conda#sha256:${'ab'.repeat(32)}\n`,
    );
  });

  it.each([
    ['a line break in its name', { name: 'libtorch\nhttp://evil.example/x.conda#0' }],
    ['a line break in its file', { fn: `libtorch-2.4.1-cpu_h3.conda\nhttp://evil.example/evil-1-0.conda` }],
    ['a line break in its version', { version: '2.4.1\nx' }],
    ['a line break in its build', { build_string: 'cpu_h3\nx' }],
    ['an escape sequence', { depends: ['\u001b]0;title\u0007'] }],
    ['a way out of the channel', { fn: '../../evil-1-0.conda' }],
    ['a way out through the folder', { subdir: '../evil' }],
    ['a file that is named after another package', { fn: 'evil-2.4.1-cpu_h3.conda' }],
    ['a file of another kind', { fn: 'libtorch-2.4.1-cpu_h3.sh' }],
    ['a query', { fn: 'libtorch-2.4.1-cpu_h3.conda?x.conda' }],
    ['another host', { url: 'https://evil.example/conda-forge/linux-64/libtorch-2.4.1-cpu_h3.conda' }],
    ['another channel', { url: 'https://conda.anaconda.org/evil/linux-64/libtorch-2.4.1-cpu_h3.conda' }],
    ['another platform', { subdir: 'osx-64' }],
    ['an MD5 alone', { sha256: null, md5: 'ab'.repeat(16) }],
    ['no hash', { sha256: undefined }],
    ['half a hash', { sha256: 'ab' }],
    ['a size beyond reason', { size: 1e18 }],
    ['a size that is none', { size: -1 }],
    ['a million dependencies', { depends: Array.from({ length: 501 }, () => 'x') }],
  ])('finding 3: is refused with %s', (_what, change) => {
    expect(() => packageOf({ ...reported, ...change }, false, of)).toThrow(/^lock_refused /);
  });
});

describe('finding 3: a stored lock file', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ringlab-locks-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const make = { platform: 'linux-64', cuda: undefined };
  const lock: Lock = {
    solvedAt: 1,
    platform: 'linux-64',
    channel,
    packages: [packageOf(reported, false, of)],
    builds: [],
  };

  it('finding 3: is parsed again when it is read, and solved again if it is incomplete', async () => {
    const book = createLockBook(folder);
    await book.put('lab', make, lock);
    expect(await book.get('lab', make)).toEqual(lock);
    const [one] = lock.packages;
    const bad = { ...lock, packages: [{ ...one, file: `linux-64/x.conda\nhttp://evil.example/y.conda` }] };
    writeFileSync(
      book.path('lab'),
      JSON.stringify({ format: 'ringlab-lock', version: 1, locks: { 'linux-64 cpu': bad } }),
    );
    expect(await book.get('lab', make)).toBeUndefined();
    await mkdir(folder, { recursive: true });
    expect(() => book.put('lab', make, bad as Lock)).toThrow(/not named after|Invalid/);
  });
});
