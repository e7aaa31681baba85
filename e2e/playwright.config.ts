import { defineConfig } from '@playwright/test';

/** Debian's Chromium shows the renderer; Electron's own specs say 'skipped' where its binary is not to be had. */
export const chromium = {
  executablePath: process.env.RINGLAB_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-gpu'],
};

const runs = [
  'checkpoints.spec.ts',
  'electron/*.spec.ts',
  'electron-standin/*.spec.ts',
  'estimate.spec.ts',
  'full/*.spec.ts',
  'keyboard.spec.ts',
  'killed-app.spec.ts',
  'links.spec.ts',
  'main-job.spec.ts',
];
// Minutes each: a part of `npm run test:full`.
const ignored = process.env.RINGLAB_FULL === undefined ? ['full/**'] : [];

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  timeout: 240_000,
  expect: { timeout: 15_000 },
  // Two cores, and a run has them to itself: runs go one after the other, what mostly waits for a person beside them.
  workers: 2,
  fullyParallel: false,
  projects: [
    { name: 'runs', testMatch: runs, testIgnore: ignored, workers: 1 },
    { name: 'window', testIgnore: [...runs, ...ignored], workers: 1 },
  ],
  retries: 0,
  reporter:
    process.env.RINGLAB_REPORT === undefined
      ? [['list']]
      : [['list'], ['json', { outputFile: process.env.RINGLAB_REPORT }]],
  use: {
    browserName: 'chromium',
    launchOptions: chromium,
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    actionTimeout: 15_000,
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
  },
});
