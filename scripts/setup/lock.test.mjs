import { spawnSync } from 'node:child_process';
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
  expect(said).toEqual([`another set-up runs in this folder (process ${process.pid}): waiting for it`]);
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
