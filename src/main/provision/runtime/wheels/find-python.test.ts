/** Tests with the real uv which Pythons of a node an environment may be made of. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { haveUv } from '../../testing/wheels-bench.ts';
import { uvVersion } from './uv.ts';
import { findPythonScript, noPython } from './wheels-commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'ringlab-find-python-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const arch = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const uv = resolve(import.meta.dirname, '../../../../../.cache/uv', uvVersion, arch, 'uv');

const own = join(folder, '.venv');
const find = (path: string, more: Record<string, string> = {}) => {
  const script = findPythonScript(
    uv,
    { cache: join(folder, 'cache'), pythons: join(folder, 'pythons') },
    '>=3.8',
  );
  // A command over SSH starts in the home folder.
  return spawnSync('/bin/sh', ['-c', script], {
    cwd: folder,
    env: { HOME: folder, PATH: path, ...more },
    encoding: 'utf8',
  });
};

describe.skipIf(!haveUv)('a virtual environment of the user’s', () => {
  it('in the home folder or on the PATH is no Python to make another of: uv venv takes none', () => {
    execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', own]);
    for (const path of [join(folder, 'nothing'), join(own, 'bin')])
      expect(find(path)).toMatchObject({ status: noPython, stdout: '' });
    expect(find(`${join(own, 'bin')}:/usr/bin`)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\/usr\/bin\/python3/) as string,
    });
  });
});

describe.skipIf(!haveUv)('uv’s variables in the account', () => {
  it.each([
    ['UV_MANAGED_PYTHON', '1'],
    ['UV_NO_MANAGED_PYTHON', '1'],
    ['UV_PROJECT', '/nonexistent'],
  ])('%s does not count', (name, value) => {
    expect(find('/usr/bin:/bin', { [name]: value })).toMatchObject({ status: 0 });
  });
});
