import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { maxScriptBytes } from '../../shared/contract/script-files.ts';
import { emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import { createScriptFiles, type ScriptFiles } from './script-files.ts';

let home: string;
let root: string;
let files: ScriptFiles;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'script-files-'));
  root = join(home, 'project');
  await mkdir(join(root, 'pkg'), { recursive: true });
  await writeFile(join(root, 'train.py'), 'print("loss: 0.1")\n');
  await writeFile(join(root, 'pkg', 'net.py'), '# net\n');
  files = createScriptFiles(home);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const labOf = (path: string): LabDocument => {
  const lab = emptyLab('l', 'L');
  const script = { source: { type: 'folder' as const, path }, file: 'train.py', arguments: '' };
  return { ...lab, experiment: { ...lab.experiment, script } };
};

describe('the files of a script’s folder', () => {
  it('are listed without hidden files, caches, environments and other kinds', async () => {
    for (const folder of ['.git', '__pycache__', 'venv/lib']) {
      await mkdir(join(root, folder), { recursive: true });
      await writeFile(join(root, folder, 'a.py'), '');
    }
    await writeFile(join(root, 'venv', 'pyvenv.cfg'), '');
    await writeFile(join(root, 'data.bin'), '');
    await writeFile(join(root, 'requirements.txt'), 'numpy');
    const { files: found, more } = await files.list(labOf('~/project'));
    expect(found).toEqual([
      { path: 'requirements.txt', bytes: 5 },
      { path: 'train.py', bytes: 19 },
      { path: 'pkg/net.py', bytes: 6 },
    ]);
    expect(more).toBe(false);
  });

  it('are those of a folder that is there', async () => {
    for (const path of ['', ' ', join(home, 'absent'), join(root, 'train.py')])
      await expect(files.list(labOf(path))).rejects.toMatchObject({ code: 'file_unreadable' });
    await expect(files.list(emptyLab('l', 'L'))).rejects.toMatchObject({ code: 'file_unreadable' });
  });

  it('are read and saved, with their rights, and through a link in the folder', async () => {
    await chmod(join(root, 'train.py'), 0o755);
    await symlink('train.py', join(root, 'other.py'));
    const { text, sha256 } = await files.read(labOf(root), 'other.py');
    expect(text).toBe('print("loss: 0.1")\n');
    const saved = await files.save(labOf(root), 'other.py', '\uFEFF# 损失\r\n', sha256);
    expect(await readFile(join(root, 'train.py'), 'utf8')).toBe('\uFEFF# 损失\r\n');
    expect((await stat(join(root, 'train.py'))).mode & 0o777).toBe(0o755);
    expect(await files.read(labOf(root), 'train.py')).toEqual({ text: '\uFEFF# 损失\r\n', ...saved });
    expect((await readdir(root)).sort()).toEqual(['other.py', 'pkg', 'train.py']);
  });

  it('are not overwritten where they changed on disk', async () => {
    const { sha256 } = await files.read(labOf(root), 'train.py');
    await writeFile(join(root, 'train.py'), 'newer');
    await expect(files.save(labOf(root), 'train.py', 'mine', sha256)).rejects.toMatchObject({
      code: 'script_changed',
    });
    expect(await readFile(join(root, 'train.py'), 'utf8')).toBe('newer');
  });

  it.each([
    '../secret.py',
    '/etc/hosts.txt',
    '.env.txt',
    'pkg/../../secret.py',
    '.git/config.txt',
    'out.py',
    'train.sh',
  ])('does not open %s', async (path) => {
    await writeFile(join(home, 'secret.py'), 'secret');
    await symlink(join(home, 'secret.py'), join(root, 'out.py'));
    await expect(files.read(labOf(root), path)).rejects.toMatchObject({ code: 'file_unreadable' });
    await expect(files.save(labOf(root), path, '', '0'.repeat(64))).rejects.toMatchObject({
      code: 'file_unreadable',
    });
  });

  it('are small UTF-8 text', async () => {
    await writeFile(join(root, 'a.py'), Buffer.from([0xff, 0xfe, 0x41]));
    await writeFile(join(root, 'b.py'), 'a\0b');
    await writeFile(join(root, 'c.py'), 'x'.repeat(maxScriptBytes + 1));
    for (const path of ['a.py', 'b.py', 'c.py'])
      await expect(files.read(labOf(root), path)).rejects.toMatchObject({ code: 'file_unreadable' });
    const { sha256 } = await files.read(labOf(root), 'train.py');
    await expect(
      files.save(labOf(root), 'train.py', '损'.repeat(maxScriptBytes / 2), sha256),
    ).rejects.toMatchObject({ code: 'file_unwritable' });
  });

  it('lists folders to complete a path', async () => {
    await mkdir(join(home, '.hidden'));
    expect(await files.folders('~/')).toEqual({ folders: ['project'], more: false });
    expect(await files.folders(join(home, 'absent'))).toEqual({ folders: [], more: false });
  });
});
