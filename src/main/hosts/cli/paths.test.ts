import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { dataFolder } from './paths.ts';

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

it('--data with an empty text, as of a variable that is not set, is wrong usage, and the current folder is left as it is', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'ringlab-usage-'));
  await chmod(cwd, 0o755);
  await writeFile(join(cwd, 'own.txt'), '', { mode: 0o644 });
  const args = [
    '--disable-warning=ExperimentalWarning',
    join(import.meta.dirname, 'main.ts'),
    'labs',
    '--data',
    '',
  ];
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile(process.execPath, args, { cwd }, (error, _stdout, stderr) =>
      resolve({ code: error?.code, stderr }),
    ),
  );
  expect(stderr).toMatch(/^ringlab: --data needs a value, not an empty text/);
  expect(code).toBe(2);
  expect(await readdir(cwd)).toEqual(['own.txt']);
  expect((await stat(cwd)).mode & 0o777).toBe(0o755);
  await rm(cwd, { recursive: true });
});
