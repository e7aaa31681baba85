/** How Playwright runs the end-to-end tests: which browser, how many at a time, which specs. */
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';

/**
 * Debian's Chromium shows the renderer, or the one that `RINGLAB_CHROMIUM` names; its headless shell takes a quarter less
 * processor time than the whole browser. The specs of Electron are skipped where its binary is missing.
 */
export const chromium = {
  executablePath: process.env.RINGLAB_CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-gpu'],
};

/** A pattern alone also matches a folder of that name above this one. */
const here = (pattern: string): string => join(import.meta.dirname, pattern);

/** `full/` takes minutes each, in parts of `npm run test:full`; a plain `npm test` leaves out `*.slow.spec.ts`, too. */
const ignored = [
  ...(process.env.RINGLAB_FULL === undefined ? [here('full/**')] : []),
  ...(process.env.RINGLAB_QUICK === undefined ? [] : ['**/*.slow.spec.ts']),
];

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  globalSetup: here('needs-browser.ts'),
  timeout: 240_000,
  expect: { timeout: 30_000 },
  // One test at a time trains, and one that only looks and draws runs beside it; two where none is left that trains.
  workers: 2,
  projects: [
    { name: 'runs', testIgnore: [here('window/**'), ...ignored], workers: 1 },
    { name: 'window', testMatch: here('window/*.spec.ts'), testIgnore: ignored },
  ],
  fullyParallel: false,
  retries: 0,
  reporter: [
    ['list'],
    [here('failed-page.ts')],
    ...(process.env.RINGLAB_REPORT === undefined
      ? []
      : [['json', { outputFile: process.env.RINGLAB_REPORT }] as const]),
  ],
  use: {
    browserName: 'chromium',
    launchOptions: chromium,
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    actionTimeout: 30_000,
    // Waiting for transitions takes time in each test; `view.spec` and `canvas.spec` have them.
    contextOptions: { reducedMotion: 'reduce' },
    // Recording each test takes nearly as much CPU time as the test itself.
    trace: process.env.RINGLAB_TRACE === undefined ? 'off' : 'retain-on-failure',
    screenshot: 'only-on-failure',
  },
});
