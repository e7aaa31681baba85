/** `ringlab open`: creates a new address for the window of `ringlab serve`, and opens the browser. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { openedCodeMs } from '../../web/codes.ts';
import { addressFor, findHost } from '../../web/index.ts';
import { showWindow } from '../window/show-window.ts';

/** Rejects with `web_not_running` or `web_stranger`. */
export async function openCommand(
  dataFolder: string,
  showInBrowser: boolean,
  print: (line: string) => void,
): Promise<number> {
  const host = await findHost(dataFolder);
  print(`Ringlab: ${addressFor(host)}`);
  if (!showInBrowser) return 0;
  const path = await showWindow(dataFolder, addressFor(host, openedCodeMs)).catch(() => undefined);
  if (path === undefined) return 0;
  // The app removes the file once the page has connected.
  for (let waited = 0; waited < openedCodeMs && existsSync(path); waited += 200) await sleep(200);
  await rm(path, { force: true });
  return 0;
}
