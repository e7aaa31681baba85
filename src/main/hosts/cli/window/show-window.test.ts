import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openedCodeMs } from '../../web/codes.ts';
import { removeOpeners, removeSpentOpeners } from './show-window.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-openers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('finding: the file of another start, whose browser is only starting, stays', async () => {
  const paths = ['1', '2', '3'].map((digit) => join(folder, `open-${digit.repeat(16)}.html`));
  const [own = '', other = '', old = ''] = paths;
  for (const [index, path] of paths.entries())
    writeFileSync(path, `<script>location.replace("http://127.0.0.1:4711/#code=1.nonce${index}.x")</script>`);
  const before = new Date(Date.now() - openedCodeMs);
  utimesSync(old, before, before);
  await removeSpentOpeners(folder, '1.nonce0.x');
  expect([own, other, old].map((path) => existsSync(path))).toEqual([false, true, false]);
  // A start knows no codes yet.
  await removeSpentOpeners(folder);
  expect(existsSync(other)).toBe(true);
  await removeOpeners(folder);
  expect(existsSync(other)).toBe(false);
});
