/** How long a stored run takes to open: the clock runs from the click on it in the list to the paint of its curves. */
import type { Browser } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp } from '../e2e/app-process.ts';
import { openedRun, openRunByName } from '../e2e/pages/runs-page.ts';
import { writeLargeRun } from './large-run.ts';
import { repeat } from './measure.ts';

/** Seconds of each opening, and of storing the run before. The app and a page are open on another run. */
export async function measureOpening(
  browser: Browser,
  points: number,
  rounds: number,
): Promise<{ opened: number[]; stored: number }> {
  const folder = await newDataFolder();
  const stored = await writeLargeRun(folder, points);
  const app = await startApp(folder);
  const opened = await repeat(rounds, async () => {
    const context = await browser.newContext({ viewport: { width: 1920, height: 1080 }, locale: 'en-US' });
    const page = await context.newPage();
    await page.goto(app.url);
    await openRunByName(page, 'small run');
    await openedRun(page, 'small run', 'Loss');
    const begin = performance.now();
    await openRunByName(page, 'large run');
    await openedRun(page, 'large run', 'Loss');
    const took = (performance.now() - begin) / 1000;
    await context.close();
    return took;
  });
  await app.stop();
  await removeDataFolder(folder);
  return { opened, stored };
}
