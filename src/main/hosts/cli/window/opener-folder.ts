/** Where a page lies that a browser is to open from a file: a snap reads neither hidden folders nor the system's /tmp. */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasDesktop } from '../show-place.ts';

export interface Desktop {
  readonly home: string;
  /** Whether a file exists and may be run. */
  runs(path: string): boolean;
  /** The desktop entry of the default browser, as `xdg-settings` prints it; rejects where it does not say. */
  defaultBrowser(): Promise<string>;
}

const patienceMs = 3000;

export const runs = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const thisDesktop: Desktop = {
  home: homedir(),
  runs,
  async defaultBrowser() {
    if (process.platform !== 'linux' || !hasDesktop()) throw new Error('there is no xdg-settings');
    const asked = ['get', 'default-web-browser'];
    return (await promisify(execFile)('xdg-settings', asked, { timeout: patienceMs })).stdout;
  },
};

/** A folder that this snap reads; private to the user. */
export async function folderOfSnap(
  snap: string,
  { home }: Pick<Desktop, 'home'> = thisDesktop,
): Promise<string> {
  const folder = join(home, 'snap', snap, 'common', 'ringlab');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** A folder that the default browser reads; undefined where it reads every folder of the user. */
export async function folderOfDefault(desktop: Desktop = thisDesktop): Promise<string | undefined> {
  try {
    // A snap's entry is named after the snap and its program.
    const snap = /^([a-z\d-]+)_[\w.-]+\.desktop$/.exec((await desktop.defaultBrowser()).trim())?.[1];
    if (snap === undefined || !desktop.runs(`/snap/bin/${snap}`)) return undefined;
    return await folderOfSnap(snap, desktop);
  } catch {
    return undefined;
  }
}

/** The folders of all snaps that such pages may lie in. */
export async function foldersOfSnaps({ home }: Pick<Desktop, 'home'> = thisDesktop): Promise<string[]> {
  const snaps = await readdir(join(home, 'snap')).catch(() => []);
  return snaps.map((snap) => join(home, 'snap', snap, 'common', 'ringlab'));
}
