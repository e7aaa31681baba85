import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderOfDefault, foldersOfSnaps } from './opener-folder.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'ringlab-home-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const desktop = (
  entry: string | undefined,
  ...programs: string[]
): Parameters<typeof folderOfDefault>[0] => ({
  home,
  runs: (path) => programs.includes(path),
  defaultBrowser: () =>
    entry === undefined ? Promise.reject(new Error('no such program')) : Promise.resolve(`${entry}\n`),
});

describe('the folder of a page for the default browser', () => {
  it('is a snap’s own where that is a snap, as Ubuntu’s Firefox is', async () => {
    const own = join(home, 'snap', 'firefox', 'common', 'ringlab');
    expect(await folderOfDefault(desktop('firefox_firefox.desktop', '/snap/bin/firefox'))).toBe(own);
    expect((await stat(own)).mode & 0o777).toBe(0o700);
    expect(await foldersOfSnaps({ home })).toEqual([own]);
  });

  it('is any other where that is no snap, or is not known', async () => {
    for (const entry of ['firefox.desktop', 'google-chrome.desktop', '', '../x_y.desktop', undefined])
      expect(await folderOfDefault(desktop(entry, '/snap/bin/firefox')), entry).toBeUndefined();
    expect(await folderOfDefault(desktop('my_browser.desktop', '/snap/bin/firefox'))).toBeUndefined();
    expect(existsSync(join(home, 'snap'))).toBe(false);
    expect(await foldersOfSnaps({ home })).toEqual([]);
  });

  it('is any other where the snap’s cannot be made', async () => {
    await writeFile(join(home, 'snap'), '');
    expect(await folderOfDefault(desktop('firefox_firefox.desktop', '/snap/bin/firefox'))).toBeUndefined();
  });
});
