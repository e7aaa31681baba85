/**
 * Measures the cold start: from the exec of the app until 'Run experiment' can be pressed in a new page. Not every machine has
 * Electron's binary, so this measures the web host: exec of Node, server, page, first paint of the canvas. The browser is
 * started before the measurement, as users usually have one open.
 */
import { chromium } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp } from '../e2e/app-process.ts';
import { chromium as debian } from '../e2e/playwright.config.ts';
import { repeat, report } from './measure.ts';

const browser = await chromium.launch(debian);
const folder = await newDataFolder();
const values = await repeat(9, async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  const page = await context.newPage();
  const begin = performance.now();
  const app = await startApp(folder);
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Run experiment' }).waitFor({ state: 'visible' });
  const took = (performance.now() - begin) / 1000;
  await context.close();
  await app.stop();
  return took;
});
await browser.close();
await removeDataFolder(folder);
report('cold-start', [{ what: 'exec to usable window', goal: '1 s', values: values.slice(1), unit: 's' }]);
