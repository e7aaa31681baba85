/** A running app with an empty data folder, and a page that is open on it. */
import { test as base, type Browser, type Page } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp, type RunningApp } from './app-process.ts';

interface Options {
  /** Whether drawn links are emulated: `off` where a test is not about them, since they are as slow as drawn. */
  network: 'on' | 'off';
}
interface Fixtures extends Options {
  dataFolder: string;
  app: RunningApp;
}

export const test = base.extend<Fixtures>({
  network: ['off', { option: true }],
  // Playwright hands over fixtures by destructuring, also where there are none.
  dataFolder: async ({}, use) => {
    const folder = await newDataFolder();
    await use(folder);
    await removeDataFolder(folder);
  },
  app: async ({ dataFolder, network }, use) => {
    const app = await startApp(dataFolder, 0, network);
    await use(app);
    await app.stop();
  },
});
export { expect } from '@playwright/test';

/** A page of a user with this language and theme; its context is to be closed. */
export async function pageOf(browser: Browser, locale: string, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({ locale, colorScheme, viewport: { width: 1280, height: 800 } });
  return context.newPage();
}
