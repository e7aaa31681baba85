/**
 * Opens the window in this computer's browser. Arguments of a process are visible to every user of the computer: the
 * browser therefore gets the path of a private file that redirects to the address.
 */
import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { showPlace } from './show-place.ts';

const pattern = /^open-[\da-f]{16}\.html$/;

/** @param address only characters that need no escaping in HTML and JavaScript */
const page = (address: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Ringlab</title>
<script>location.replace(${JSON.stringify(address)})</script>
<noscript><a href="${address}">Ringlab</a></noscript>
`;

/** Writes a file that redirects to an address; returns its path. */
async function writeOpener(dataFolder: string, address: string): Promise<string> {
  const path = join(dataFolder, `open-${randomBytes(8).toString('hex')}.html`);
  await writeFile(path, page(address), { mode: 0o600, flag: 'wx' });
  return path;
}

/** Removes all such files, including those of killed processes. */
export async function removeOpeners(dataFolder: string): Promise<void> {
  const names = await readdir(dataFolder).catch(() => []);
  for (const name of names) if (pattern.test(name)) await rm(join(dataFolder, name), { force: true });
}

/** Rejects with `file_unreadable` without a desktop. */
export async function showWindow(dataFolder: string, address: string): Promise<string> {
  const path = await writeOpener(dataFolder, address);
  try {
    await showPlace(path);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return path;
}
