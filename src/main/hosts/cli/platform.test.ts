import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyTo, makeFolder, moveTo } from './platform.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-results-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a folder of results', () => {
  it('is made with those above it, and may be there already', async () => {
    const path = join(folder, 'a b', '结果', 'c');
    for (let times = 0; times < 2; times += 1) await makeFolder(path);
    expect((await stat(path)).isDirectory()).toBe(true);
    const source = join(folder, 'metrics.csv');
    await writeFile(source, 'a,b\n');
    const out = join(folder, 'x', 'y');
    await copyTo(out, { path: source, name: 'metrics.csv' });
    expect(await readFile(join(out, 'metrics.csv'), 'utf8')).toBe('a,b\n');
  });

  // The memory's file system is another one than the folder's.
  it.skipIf(!existsSync('/dev/shm'))(
    'has files moved into it, also from another disk, and replaces',
    async () => {
      const other = await mkdtemp('/dev/shm/ringlab-results-');
      try {
        for (const from of [folder, other]) {
          const path = join(from, 'fetched');
          await writeFile(path, from);
          const { savedTo, bytes } = await moveTo(join(folder, 'x'), { path, name: 'best.pt' });
          expect(await readFile(savedTo, 'utf8')).toBe(from);
          expect(bytes).toBe(from.length);
          expect(existsSync(path)).toBe(false);
          expect(await readdir(join(folder, 'x'))).toEqual(['best.pt']);
        }
      } finally {
        await rm(other, { recursive: true });
      }
    },
  );

  it('cannot be made below a file', async () => {
    await writeFile(join(folder, 'file'), '');
    for (const path of ['file', 'file/x/y'])
      await expect(makeFolder(join(folder, path))).rejects.toMatchObject({ code: 'file_unwritable' });
  });

  // Node's own recursive mkdir tries without end there, with all of a core.
  it.skipIf(process.platform !== 'linux')('cannot be made where the system makes none', async () => {
    await expect(makeFolder('/proc/ringlab-none/x')).rejects.toMatchObject({ code: 'file_unwritable' });
    await expect(copyTo('/proc/ringlab-none', { path: process.execPath, name: 'x' })).rejects.toMatchObject({
      code: 'file_unwritable',
    });
  });
});
