/** Measures the opening of the table of many past runs: from the click to the frame with its rows, in a running app. */
import type { Browser } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp } from '../e2e/app-process.ts';
import { storedLab, storeRuns } from '../e2e/stored-runs.ts';
import { repeat } from './measure.ts';

/** Seconds from the click to the table, and from the address to the first chart; the first of `rounds` is a warm-up. */
export async function measurePastRuns(
  browser: Browser,
  count: number,
  rounds: number,
): Promise<{ table: number[]; window: number[] }> {
  const folder = await newDataFolder();
  await storeRuns(
    folder,
    storedLab(1),
    Array.from({ length: count }, (_, index) => ({
      name: `run ${index}`,
      epochs: 1,
      stepsPerEpoch: 3,
      experiment: { learningRate: 0.01 * (1 + (index % 5)), batchSize: 32 * (1 + (index % 3)) },
    })),
  );
  const app = await startApp(folder);
  const opened: number[] = [];
  const values = await repeat(rounds, async () => {
    const context = await browser.newContext({ viewport: { width: 1920, height: 1080 }, locale: 'en-US' });
    const page = await context.newPage();
    const begin = performance.now();
    await page.goto(app.url);
    await page.locator('figure[data-chart]').first().waitFor();
    opened.push((performance.now() - begin) / 1000);
    const took = await page.evaluate(async (rows) => {
      const button = document.querySelector<HTMLElement>('button[aria-label="All runs in a table"]');
      const start = performance.now();
      button?.click();
      for (;;) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        if (document.querySelector(`table[aria-rowcount="${rows + 1}"] tbody tr[data-run]`) !== null) break;
      }
      // The second next callback runs when the frame with the rows is on the screen.
      await new Promise((resolve) => requestAnimationFrame(resolve));
      return (performance.now() - start) / 1000;
    }, count);
    await context.close();
    return took;
  });
  await app.stop();
  await removeDataFolder(folder);
  return { table: values.slice(1), window: opened.slice(1) };
}
