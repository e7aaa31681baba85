/** Creates the app of a data folder. Most of the program is loaded only here: commands that need no app start without it. */
import type { Platform } from '../base/platform.ts';
import type { App } from './app.ts';
import { openFolder } from './opened-folder.ts';

export type { App };

/** Rejects as `openFolder` does. */
export async function createApp(platform: Platform): Promise<App> {
  const { opened } = await openFolder(platform);
  // The store's thread opens the folder while this one loads the program.
  const loading = import('./app.ts');
  loading.catch(() => undefined);
  const folder = await opened;
  try {
    const { composeApp } = await loading;
    return await composeApp(platform, folder);
  } catch (error) {
    await folder.store.close();
    throw error;
  }
}
