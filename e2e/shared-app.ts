/** Fixture: one running app for all tests of a file, with a home folder of its own; each test draws its own lab. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test as base } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp, type RunningApp } from './app-process.ts';

interface Shared {
  /** `~` of the app, with an empty `.ssh`. */
  home: string;
  app: RunningApp;
}

export const test = base.extend<object, Shared>({
  home: [
    // Playwright requires destructuring here, even without any fixtures.
    async ({}, use) => {
      const home = await newDataFolder();
      await mkdir(join(home, '.ssh'));
      await use(home);
      await removeDataFolder(home);
    },
    { scope: 'worker' },
  ],
  app: [
    async ({ home }, use) => {
      const before = process.env.HOME;
      process.env.HOME = home;
      const app = await startApp(join(home, 'data'));
      process.env.HOME = before;
      await use(app);
      await app.stop();
    },
    { scope: 'worker' },
  ],
});
export { expect } from '@playwright/test';
