/**
 * Measures the time from a metric's write on the node to its pixels: the trainer stamps each step line when it writes it; the
 * page stamps the frame in which that step is painted. Both use the clock of one machine.
 */
import type { Browser } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp } from '../e2e/app-process.ts';
import { nodeCard, openExample, runExperiment, waitForState } from '../e2e/pages/lab-page.ts';
import { paintStamps, stampPaints } from '../e2e/pages/runs-page.ts';
import { stepTimes } from './run-lines.ts';

/**
 * Milliseconds for each step.
 * @param nodes how many of the example's three nodes train: on two cores, three leave no core for the app and the browser
 */
export async function measureArrivals(browser: Browser, nodes: number): Promise<number[]> {
  const folder = await newDataFolder();
  const app = await startApp(folder);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  await page.goto(app.url);
  await openExample(page);
  for (let last = 3; last > nodes; last -= 1) {
    await nodeCard(page, `N${last}`).click();
    await page.keyboard.press('Delete');
  }
  await runExperiment(page);
  await page.getByRole('toolbar').getByText('Step', { exact: true }).click();
  // Only on the axis of steps: on another one the newest point's x is not a step.
  await page.waitForTimeout(500);
  await stampPaints(page, 'Loss');
  await waitForState(page, 'finished', 240_000);
  const painted = await paintStamps(page);
  const written = await stepTimes(folder);
  await page.close();
  await app.stop();
  await removeDataFolder(folder);
  // The first step was on the screen before the recording began.
  return [...painted].slice(1).flatMap(([step, at]) => {
    const t = written.get(step);
    return t === undefined ? [] : [(at - t) * 1000];
  });
}
