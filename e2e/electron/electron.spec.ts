/** The same flow in the real Electron; skipped, with a message, on machines without its binary. */
import { existsSync } from 'node:fs';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { _electron as electron, expect, test, type ElectronApplication } from '@playwright/test';
import { newDataFolder, project, removeDataFolder } from '../app-process.ts';
import { openExample } from '../pages/lab-page.ts';
import { firstJob, sizeOf } from './first-job.ts';

/** Not through `require('electron')`, which would start a download. */
function binary(): string | undefined {
  const folder = join(project, 'node_modules', 'electron');
  try {
    const path = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim());
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

const executablePath = binary();
const hasDisplay =
  process.platform !== 'linux' ||
  process.env.DISPLAY !== undefined ||
  process.env.WAYLAND_DISPLAY !== undefined;
test.skip(
  executablePath === undefined,
  'Electron’s binary was not downloaded: node node_modules/electron/install.js',
);
test.skip(!hasDisplay, 'Electron needs a display: xvfb-run npm test');

let dataFolder: string;
let app: ElectronApplication;
test.beforeEach(async () => {
  dataFolder = await newDataFolder();
  app = await electron.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), project],
    env: { ...process.env, RINGLAB_DATA: dataFolder },
  });
});
test.afterEach(async () => {
  await app.close();
  await removeDataFolder(dataFolder);
});

test('Electron: the window has a bridge of two functions and no Node', async () => {
  const page = await app.firstWindow();
  await openExample(page);
  expect(page.url()).toMatch(/^ringlab:\/\/app\//);
  const found = await page.evaluate(() => ({
    bridge: Object.keys((window as unknown as { ringlab: object }).ringlab).sort(),
    node: ['require', 'process', 'module', 'Buffer'].filter((name) => name in window),
  }));
  expect(found).toEqual({ bridge: ['onMessage', 'send'], node: [] });
});

test('Electron: a user runs the example and exports the model', async ({}, info) => {
  const page = await app.firstWindow();
  const target = info.outputPath('mine.pth.tar');
  await firstJob(page, () =>
    app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
    }, target),
  );
  await expect.poll(() => sizeOf(target)).toBeGreaterThan(2_000_000);
});
