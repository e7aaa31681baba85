/**
 * Opening a run with many points (1,000,000 unless told: `-- 10000000`): the run is stored, the app and a page are open on
 * another run; the clock runs from the click on the run in the list to the paint of its curves.
 */
import { chromium } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp } from '../e2e/app-process.ts';
import { chromium as debian } from '../e2e/playwright.config.ts';
import { openedRun, openRunByName } from '../e2e/pages/runs-page.ts';
import { writeLargeRun } from './large-run.ts';
import { repeat, report } from './measure.ts';

const points = Number(process.argv[2] ?? 1_000_000);
const folder = await newDataFolder();
const ingest = await writeLargeRun(folder, points);
const app = await startApp(folder);
const browser = await chromium.launch(debian);
const values = await repeat(7, async () => {
  const page = await (
    await browser.newContext({ viewport: { width: 1920, height: 1080 }, locale: 'en-US' })
  ).newPage();
  await page.goto(app.url);
  await openRunByName(page, 'small run');
  await openedRun(page, 'small run', 'Loss');
  const begin = performance.now();
  await openRunByName(page, 'large run');
  await openedRun(page, 'large run', 'Loss');
  const took = (performance.now() - begin) / 1000;
  await page.context().close();
  return took;
});
await browser.close();
await app.stop();
await removeDataFolder(folder);
report('open-run', [
  { what: `open a run of ${points} points`, goal: '1 s', values, unit: 's' },
  { what: `store ${points} points`, goal: '', values: [ingest], unit: 's' },
]);
