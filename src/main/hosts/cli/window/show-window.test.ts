import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openedCodeMs } from '../../web/codes.ts';
import { removeOpeners, removeSpentOpeners, showAppWindow } from './show-window.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-openers-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

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

const address = 'http://127.0.0.1:4711/#code=1.nonce.x';
/** The name of a browser to which this script stands in. */
function browser(name: string, ends: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" > "$0.args"\n${ends}\n`, { mode: 0o755 });
  return path;
}

it.skipIf(process.platform !== 'linux')(
  'finding: a browser that ends at once is not an open window, and the next one is tried',
  async () => {
    vi.stubEnv('DISPLAY', ':77');
    vi.stubEnv('PATH', folder);
    vi.stubEnv('RINGLAB_BROWSER', browser('my chromium', 'exit 1'));
    browser('google-chrome', 'kill -TRAP $$');
    expect(await showAppWindow(folder, address, 60_000)).toBeUndefined();
    expect(readdirSync(folder).filter((name) => name.startsWith('open-'))).toEqual([]);
    browser('firefox', 'exit 0');
    const path = await showAppWindow(folder, address, 60_000);
    expect(readFileSync(join(folder, 'firefox.args'), 'utf8').trim()).toBe(`file://${path ?? ''}`);
    expect(existsSync(join(folder, 'google-chrome.args'))).toBe(true);
    expect(readFileSync(path ?? '', 'utf8')).toContain(address);
  },
);

it.skipIf(process.platform !== 'linux')('finding: an empty DISPLAY names no desktop', async () => {
  vi.stubEnv('DISPLAY', '');
  vi.stubEnv('WAYLAND_DISPLAY', undefined);
  vi.stubEnv('PATH', folder);
  browser('chromium', 'exit 0');
  expect(await showAppWindow(folder, address, 60_000)).toBeUndefined();
});
