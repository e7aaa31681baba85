/** A running app with an empty data folder, and a page that is open on it. */
import { test as base } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp, type RunningApp } from './app-process.ts';

interface Fixtures {
  dataFolder: string;
  app: RunningApp;
}

export const test = base.extend<Fixtures>({
  // Playwright hands over fixtures by destructuring, also where there are none.
  dataFolder: async ({}, use) => {
    const folder = await newDataFolder();
    await use(folder);
    await removeDataFolder(folder);
  },
  app: async ({ dataFolder }, use) => {
    const app = await startApp(dataFolder);
    await use(app);
    await app.stop();
  },
});
export { expect } from '@playwright/test';
