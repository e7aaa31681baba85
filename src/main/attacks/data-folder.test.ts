/** Low finding: a data folder that other users can read, or could replace with their own. */
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePrivate } from '../base/data-folder.ts';

const run = promisify(execFile);
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o7777;

let base: string;
let data: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'ringlab-private-'));
  await chmod(base, 0o755);
  data = join(base, 'data');
});
afterEach(() => rm(base, { recursive: true, force: true }));

describe.skipIf(process.platform === 'win32')('finding: an existing data folder with mode 0755', () => {
  it('is created with access for its user only', async () => {
    expect(await makePrivate(join(data, 'deeper'))).toBe(false);
    expect(await modeOf(join(data, 'deeper'))).toBe(0o700);
  });

  it('loses other users’ access, with the runs and the index in it; links in it are left unchanged', async () => {
    await mkdir(join(data, 'runs', 'one'), { recursive: true });
    await writeFile(join(data, 'lock.db'), '');
    await writeFile(join(data, 'index.db'), 'index');
    await writeFile(join(data, 'runs', 'one', 'commands.sh'), 'commands', { mode: 0o755 });
    await writeFile(join(base, 'elsewhere'), '', { mode: 0o644 });
    await symlink(join(base, 'elsewhere'), join(data, 'link'));
    await chmod(data, 0o755);
    expect(await makePrivate(data)).toBe(true);
    expect(await modeOf(data)).toBe(0o700);
    expect(await modeOf(join(data, 'index.db'))).toBe(0o600);
    expect(await modeOf(join(data, 'runs', 'one'))).toBe(0o700);
    expect(await modeOf(join(data, 'runs', 'one', 'commands.sh'))).toBe(0o700);
    expect(await modeOf(join(base, 'elsewhere'))).toBe(0o644);
    expect(await makePrivate(data)).toBe(false);
  });

  it('is refused and left unchanged if it has other files than Ringlab’s, such as a home or a project', async () => {
    await mkdir(join(data, 'runs'), { recursive: true });
    await writeFile(join(data, 'train.py'), '', { mode: 0o755 });
    for (const path of [data, join(data, 'runs')]) await chmod(path, 0o755);
    await expect(makePrivate(data)).rejects.toMatchObject({
      code: 'data_folder_unsafe',
      params: { reason: 'others may read it, and it has files that are not Ringlab’s, such as “runs”' },
    });
    for (const path of [data, join(data, 'runs'), join(data, 'train.py')])
      expect(await modeOf(path)).toBe(0o755);
    await chmod(data, 0o700);
    expect(await makePrivate(data)).toBe(false);
    expect(await modeOf(join(data, 'train.py'))).toBe(0o755);
  });

  it('is made private where it has only what systems lay in any folder, and labs for the first start', async () => {
    for (const name of ['labs', 'lost+found']) await mkdir(join(data, name), { recursive: true });
    await writeFile(join(data, '.DS_Store'), '');
    await chmod(data, 0o755);
    expect(await makePrivate(data)).toBe(true);
    expect(await modeOf(data)).toBe(0o700);
  });

  it('is made private where Electron has just laid its own folder, before anything else of Ringlab is there', async () => {
    await mkdir(join(data, 'electron'), { recursive: true });
    await chmod(data, 0o755);
    expect(await makePrivate(data)).toBe(true);
    expect(await modeOf(data)).toBe(0o700);
  });

  it.runIf(isRoot)('cannot be read by another user afterwards', async () => {
    await mkdir(data, { mode: 0o755 });
    await chmod(data, 0o755);
    await writeFile(join(data, 'lock.db'), '');
    await writeFile(join(data, 'index.db'), 'index');
    const asOther = ['--reuid', String(nobody), '--clear-groups', 'cat', join(data, 'index.db')];
    expect((await run('setpriv', asOther)).stdout).toBe('index');
    await makePrivate(data);
    await expect(run('setpriv', asOther)).rejects.toThrow(/Permission denied/);
  });

  it('is refused in a folder whose entries other users can rename, unless the sticky bit is set', async () => {
    await mkdir(data, { mode: 0o700 });
    await chmod(base, 0o777);
    await expect(makePrivate(data)).rejects.toMatchObject({
      code: 'data_folder_unsafe',
      params: { reason: `others may rename what is in ${base}` },
    });
    await chmod(base, 0o1777);
    await makePrivate(data);
  });

  it.runIf(isRoot)('is refused and left unchanged if it belongs to another user', async () => {
    await mkdir(data, { mode: 0o755 });
    await chmod(data, 0o755);
    await chown(data, nobody, nobody);
    await expect(makePrivate(data)).rejects.toMatchObject({ code: 'data_folder_unsafe' });
    expect(await modeOf(data)).toBe(0o755);
  });

  it.runIf(isRoot)('is refused below a folder of another user, who could replace it', async () => {
    await chown(base, nobody, nobody);
    await expect(makePrivate(data)).rejects.toMatchObject({ code: 'data_folder_unsafe' });
  });

  it.runIf(isRoot)('is refused through a link of another user; the user’s own link is followed', async () => {
    const real = join(base, 'real');
    await mkdir(real, { mode: 0o755 });
    await symlink(real, data);
    expect(await makePrivate(data)).toBe(true);
    expect(await modeOf(real)).toBe(0o700);
    const planted = join(base, 'planted');
    await run('ln', ['-s', real, planted]);
    await run('chown', ['-h', `${nobody}`, planted]);
    await expect(makePrivate(planted)).rejects.toMatchObject({ code: 'data_folder_unsafe' });
  });
});
