import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { dataFolder, pathsFor } from './paths.ts';

afterEach(() => vi.unstubAllEnvs());

it.runIf(process.platform === 'linux').each(['', 'share'])(
  'a data home of %j is none: the data folder is not below the current folder',
  (home) => {
    vi.stubEnv('RINGLAB_DATA', '');
    vi.stubEnv('XDG_DATA_HOME', home);
    expect(dataFolder(undefined)).toBe(join(homedir(), '.local', 'share', 'ringlab'));
  },
);

it.runIf(process.platform === 'linux')('an absolute data home has the data folder', () => {
  vi.stubEnv('RINGLAB_DATA', '');
  vi.stubEnv('XDG_DATA_HOME', '/srv/share');
  expect(dataFolder(undefined)).toBe('/srv/share/ringlab');
});

it.runIf(process.platform === 'linux').each(['', 'home'])(
  'a HOME of %j is none: the account’s own has the data folder',
  (home) => {
    vi.stubEnv('RINGLAB_DATA', '');
    vi.stubEnv('XDG_DATA_HOME', '');
    vi.stubEnv('HOME', home);
    const own = userInfo().homedir;
    expect(dataFolder(undefined)).toBe(join(own, '.local', 'share', 'ringlab'));
    expect(pathsFor('/data').home).toBe(own);
  },
);

/** `ringlab labs` as a process. */
const labsOf = (data: string, cwd: string): Promise<{ code: unknown; stderr: string }> => {
  const program = join(import.meta.dirname, 'main.ts');
  const args = ['--disable-warning=ExperimentalWarning', program, 'labs', '--data', data];
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd }, (error, _stdout, stderr) =>
      resolve({ code: error?.code, stderr }),
    ),
  );
};

it('a data folder that cannot be made is no internal error: the folder is named, and why', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'ringlab-usage-'));
  await writeFile(join(cwd, 'own.txt'), '');
  for (const data of ['own.txt', join('own.txt', 'data')]) {
    const { code, stderr } = await labsOf(data, cwd);
    expect(stderr).toContain(`ringlab: ${join(cwd, data)} cannot be written: E`);
    expect(stderr).not.toMatch(/internal error| at async /);
    expect(code).toBe(1);
  }
  await rm(cwd, { recursive: true });
});

it('--data with an empty text, as of a variable that is not set, is wrong usage, and the current folder is left as it is', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'ringlab-usage-'));
  await chmod(cwd, 0o755);
  await writeFile(join(cwd, 'own.txt'), '', { mode: 0o644 });
  const { code, stderr } = await labsOf('', cwd);
  expect(stderr).toMatch(/^ringlab: --data needs a value, not an empty text/);
  expect(code).toBe(2);
  expect(await readdir(cwd)).toEqual(['own.txt']);
  expect((await stat(cwd)).mode & 0o777).toBe(0o755);
  await rm(cwd, { recursive: true });
});
