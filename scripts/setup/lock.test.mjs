import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeLock } from './lock.mjs';

let folder;
let path;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-lock-'));
  path = join(folder, 'setup.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('makes a second set-up wait, with a message, until the first is done', async () => {
  const said = [];
  const release = await takeLock((text) => said.push(text), path);
  let second = false;
  const waiting = takeLock((text) => said.push(text), path).then((give) => {
    second = true;
    return give;
  });
  await expect.poll(() => said.length).toBeGreaterThan(0);
  expect(second).toBe(false);
  expect(said).toEqual([
    `another set-up runs in this folder (process ${process.pid}): waiting for it; if that is none, remove ${path}`,
  ]);
  release();
  (await waiting)();
  expect(existsSync(path)).toBe(false);
});

it('takes over the lock of a dead process, and a damaged one', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  for (const content of [String(pid), '']) {
    writeFileSync(path, content);
    const release = await takeLock(() => expect.unreachable('nobody to wait for'), path);
    release();
  }
});

it('takes over a lock with its own process id: that of a killed container, where the same command has the same id again', async () => {
  for (const content of [String(process.pid), `${process.pid} 12`]) {
    writeFileSync(path, content);
    const release = await takeLock(() => expect.unreachable('nobody to wait for'), path);
    release();
  }
});

it.runIf(process.platform === 'linux')(
  'takes over the lock of a dead process whose id another process has now',
  async () => {
    writeFileSync(path, `${process.ppid} 12`);
    const release = await takeLock(() => expect.unreachable('nobody to wait for'), path);
    release();
  },
);

it('waits for a live process that started when the lock says', async () => {
  const program = `
    import { takeLock } from ${JSON.stringify(new URL('./lock.mjs', import.meta.url).href)};
    await takeLock(() => {}, ${JSON.stringify(path)});
    console.log('taken');
    setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', program]);
  await new Promise((resolve) => other.stdout.once('data', resolve));
  const { promise: waits, resolve: said } = Promise.withResolvers();
  const taken = takeLock(said, path);
  expect(await waits).toContain(`process ${other.pid}`);
  other.kill('SIGKILL');
  (await taken)();
});
