/** Fixture: a running app with an empty data folder, and a page that is open on it. */
import { test as base, type Browser, type Page } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp, type RunningApp } from './app-process.ts';

interface Options {
  /** Whether links are emulated: `off` in tests that do not need it, since emulated links are as slow as drawn. */
  network: 'on' | 'off';
}
interface Fixtures extends Options {
  dataFolder: string;
  app: RunningApp;
}

export const test = base.extend<Fixtures>({
  network: ['off', { option: true }],
  // Playwright requires destructuring here, even without any fixtures.
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

/** A page with this language and theme; the caller closes its context. */
export async function pageOf(browser: Browser, locale: string, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({ locale, colorScheme, viewport: { width: 1280, height: 800 } });
  return context.newPage();
}
