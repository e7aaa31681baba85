/** Opens the app of a window, also where a command holds the data folder: one that only follows a run leaves it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RinglabError } from '../../shared/base/errors.ts';
import type { Platform } from '../base/platform.ts';
import { connectControl } from '../control/index.ts';
import { createApp, type App } from './create-app.ts';

/** How long to wait for a command that prepares a run, or ends. */
const patienceMs = 30_000;
const tryEveryMs = 250;

/**
 * Rejects as `createApp` does, and with `data_folder_command` where a command holds the folder that does something else
 * than to follow a run.
 */
export async function createAppOfWindow(platform: Platform, withinMs = patienceMs): Promise<App> {
  const start = performance.now();
  let command: number | undefined;
  for (;;) {
    try {
      return await createApp(platform);
    } catch (error) {
      if (!(error instanceof RinglabError) || error.code !== 'data_folder_busy') throw error;
      // A command that leaves has closed its control channel before its folder.
      command = (await askCommand(platform)) ?? command;
      if (command === undefined) throw error;
      if (performance.now() - start > withinMs)
        throw new RinglabError('data_folder_command', { pid: command, path: platform.paths.data });
    }
    await sleep(tryEveryMs);
  }
}

/** The process of the command that holds the data folder, which was asked to leave it; undefined where none does. */
async function askCommand({ version, paths }: Platform): Promise<number | undefined> {
  const client = await connectControl(paths.data, { version, answers: false }).catch(() => undefined);
  if (client === undefined) return undefined;
  try {
    if (client.owner.kind !== 'cli') return undefined;
    // Its answer may be lost where it leaves at once.
    await client.api.call('app.handOver', {}).catch(() => undefined);
    return client.owner.pid;
  } finally {
    client.close();
  }
}
