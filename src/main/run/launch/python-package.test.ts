import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { sendPythonPackage } from './python-package.ts';

const ours = join(import.meta.dirname, '../../../../python');
let folder = '';
let home = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-python-test-'));
  home = join(folder, 'home');
  mkdirSync(home);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the package arrives once, and a script that is started with it logs to its rank’s folder', async () => {
  const shell = createLocalShell({ home });
  const place = await sendPythonPackage(shell, { source: ours, who: 'n0' });
  expect(place).toMatch(/\/home\/\.ringlab\/python\/[0-9a-f]{16}$/);
  expect(readdirSync(place).sort()).toEqual(['.ringlab-manifest', 'ringlab']);
  const rank = join(folder, 'rank-0');
  mkdirSync(rank);
  const script = 'import ringlab; ringlab.log({"loss": 0.5}); ringlab.config(lr=1)';
  execFileSync('python3', ['-c', script], {
    env: { ...process.env, PYTHONPATH: place, RINGLAB_RANK_DIR: rank },
  });
  const lines = readFileSync(join(rank, 'ringlab.jsonl'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { t: expect.any(Number) as number, step: 0, values: { loss: 0.5 } },
    { t: expect.any(Number) as number, config: { lr: 1 } },
  ]);
  // Python has written its own compiled files by now: the package stays the same one.
  const again = createLocalShell({ home });
  expect(await sendPythonPackage(again, { source: ours, who: 'n0' })).toBe(place);
  expect(again.stdins).toEqual([]);
});

test('another version gets a folder of its own', async () => {
  const changed = join(folder, 'python');
  cpSync(ours, changed, { recursive: true });
  appendFileSync(join(changed, 'ringlab/_version.py'), '# another\n');
  const shell = createLocalShell({ home });
  const first = await sendPythonPackage(shell, { source: ours, who: 'n0' });
  const second = await sendPythonPackage(shell, { source: changed, who: 'n0' });
  expect(second).not.toBe(first);
  expect(readFileSync(join(second, 'ringlab/_version.py'), 'utf8')).toContain('# another');
});

test('a folder that is not the package is an error', async () => {
  const shell = createLocalShell({ home });
  await expect(sendPythonPackage(shell, { source: folder, who: 'n0' })).rejects.toMatchObject({
    code: 'data_missing',
  });
});
