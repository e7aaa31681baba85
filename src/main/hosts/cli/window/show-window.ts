/**
 * Opens the window in this computer's browser. Arguments of a process are visible to every user of the computer: the
 * browser therefore gets the path of a private file that redirects to the address.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openedCodeMs } from '../../web/codes.ts';
import { hasDesktop, showPlace } from '../show-place.ts';
import { startProgram } from '../start-program.ts';
import { browserArguments, findBrowsers, type Browser } from './browser.ts';
import { folderOfDefault, folderOfSnap, foldersOfSnaps, runs } from './opener-folder.ts';

/** Pages that redirect, and folders of `showProblem` that a snap reads. */
const pattern = /^(open-[\da-f]{16}\.html|ringlab-problem-\w+)$/;

/** @param address only characters that need no escaping in HTML and JavaScript */
const page = (address: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Ringlab</title>
<script>location.replace(${JSON.stringify(address)})</script>
<noscript><a href="${address}">Ringlab</a></noscript>
`;

/** Writes a file that redirects to an address; returns its path. */
async function writeOpener(folder: string, address: string): Promise<string> {
  const path = join(folder, `open-${randomBytes(8).toString('hex')}.html`);
  await writeFile(path, page(address), { mode: 0o600, flag: 'wx' });
  return path;
}

/** Several names of one program, or several of one kind that fail alike, would keep the user waiting. */
const maxTried = 4;

const theseBrowsers = (): Browser[] =>
  [...findBrowsers({ platform: process.platform, env: process.env, home: homedir(), runs })].slice(
    0,
    maxTried,
  );

async function folderFor({ snap }: Browser, dataFolder: string): Promise<string> {
  if (snap !== undefined) return await folderOfSnap(snap);
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  return dataFolder;
}

/** Removes the files for which `isSpent`; by default all, including those of killed processes. */
export async function removeOpeners(
  dataFolder: string,
  isSpent: (path: string) => Promise<boolean> = () => Promise.resolve(true),
): Promise<void> {
  const snaps = process.platform === 'linux' ? await foldersOfSnaps() : [];
  for (const folder of [dataFolder, ...snaps]) {
    const names = await readdir(folder).catch(() => []);
    for (const path of names.filter((name) => pattern.test(name)).map((name) => join(folder, name)))
      if (await isSpent(path).catch(() => false)) await rm(path, { recursive: true, force: true });
  }
}

/** Removes the file with this code, and those whose codes are no longer valid: of others a browser may just be starting. */
export const removeSpentOpeners = (dataFolder: string, code?: string): Promise<void> =>
  removeOpeners(dataFolder, async (path) => {
    if (Date.now() - (await stat(path)).mtimeMs >= openedCodeMs) return true;
    return code !== undefined && (await readFile(path, 'utf8')).includes(`#code=${code}"`);
  });

/** Opens the default browser. Rejects with `file_unreadable` without a desktop. */
export async function showWindow(dataFolder: string, address: string): Promise<string> {
  const path = await writeOpener((await folderOfDefault()) ?? dataFolder, address);
  try {
    await showPlace(path);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return path;
}

/** Returns the path of the file that redirects to the address; undefined where the browser does not start. */
async function showIn(
  browser: Browser,
  dataFolder: string,
  address: string,
  patienceMs: number | undefined,
): Promise<string | undefined> {
  const folder = await folderFor(browser, dataFolder);
  const path = await writeOpener(folder, address);
  const words = browserArguments(browser, {
    address: pathToFileURL(path).href,
    profile: join(folder, 'browser'),
    asRoot: process.getuid?.() === 0,
  });
  try {
    await startProgram(browser.program, words, patienceMs);
    return path;
  } catch {
    await rm(path, { force: true });
    return undefined;
  }
}

/**
 * Opens an app window of the first browser that starts, else a tab. Returns the path of the file that redirects to the
 * address; undefined where there is no desktop or no browser, or none starts.
 * @param patienceMs how long a browser must run to count as started
 */
export async function showAppWindow(
  dataFolder: string,
  address: string,
  patienceMs?: number,
): Promise<string | undefined> {
  const browsers = hasDesktop() ? theseBrowsers() : [];
  if (browsers.length === 0) return showWindow(dataFolder, address).catch(() => undefined);
  for (const browser of browsers) {
    const path = await showIn(browser, dataFolder, address, patienceMs);
    if (path !== undefined) return path;
  }
  return undefined;
}
