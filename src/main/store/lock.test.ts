import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openStore } from './index.ts';
import { temporaryFolder } from './testing/fixtures.ts';

async function otherApp(dataFolder: string): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'testing', 'hold-store.ts');
  const child = spawn(process.execPath, [script, dataFolder], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}

describe('two processes of the app', () => {
  it('fault 34: the second reports the owner of the data folder; a dead owner’s lock is released', async () => {
    using folder = temporaryFolder();
    const other = await otherApp(folder.path);
    try {
      await expect(openStore(folder.path)).rejects.toMatchObject({
        code: 'data_folder_busy',
        params: { pid: other.pid, host: hostname(), path: folder.path },
      });
    } finally {
      await kill(other);
    }
    expect(existsSync(join(folder.path, 'owner.json'))).toBe(true);
    const { store } = await openStore(folder.path);
    await store.close();
    expect(existsSync(join(folder.path, 'owner.json'))).toBe(false);
  });

  it('finding: the lock holds also where the owner’s file cannot be written, as on a full disk', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'owner.json'));
    const { store } = await openStore(folder.path);
    await expect(openStore(folder.path)).rejects.toMatchObject({ code: 'data_folder_busy' });
    await store.close();
    const again = await openStore(folder.path);
    await again.store.close();
  });

  it('fault 34: one process cannot open a data folder twice either', async () => {
    using folder = temporaryFolder();
    const { store } = await openStore(folder.path);
    await expect(openStore(folder.path)).rejects.toMatchObject({
      code: 'data_folder_busy',
      params: { pid: process.pid },
    });
    await store.setSetting('still', 'mine');
    await store.close();
    const again = await openStore(folder.path);
    expect(await again.store.getSetting('still')).toBe('mine');
    await again.store.close();
  });

  it('fault 34: of many simultaneous starts exactly one gets the folder', async () => {
    using folder = temporaryFolder();
    const opened = await Promise.allSettled(Array.from({ length: 5 }, () => openStore(folder.path)));
    const winners = opened.filter((outcome) => outcome.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    for (const { value } of winners) await value.store.close();
  });

  it('fault 34: an invalid lock file blocks nobody', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'lock.db'), 'junk that is no database at all'.repeat(100));
    writeFileSync(join(folder.path, 'owner.json'), '{"pid":');
    const { store } = await openStore(folder.path);
    await store.close();
  });

  it('report a data folder that cannot be created', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'file'), '');
    await expect(openStore(join(folder.path, 'file', 'data'))).rejects.toMatchObject({
      code: 'file_unwritable',
    });
  });
});
