/** Comparison of runs, with the mouse: curves, results against a baseline, and groups of runs as their mean. */
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { startApp } from '../app-process.ts';
import { boxAt } from '../pages/lab-page.ts';
import { violations } from '../pages/rules.ts';
import { comparedCells, dragAlong, plotOf } from '../pages/runs-page.ts';
import { storedLab, storeRuns } from '../stored-runs.ts';

async function compareAll(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'All runs in a table' }).click();
  await page.getByRole('checkbox', { name: 'Select all listed runs' }).click();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('button', { name: 'Fill the window' }).click();
}

test('compare runs: one chart, their results against a baseline, and their differences', async ({
  page,
  dataFolder,
}, info) => {
  await storeRuns(dataFolder, storedLab(3), [
    { name: 'one rank', ranks: 1, experiment: { batchSize: 30 }, secondsPerStep: 0.3 },
    { name: 'three ranks', experiment: { batchSize: 90 }, secondsPerStep: 0.4 },
    { name: 'three, fast rate', experiment: { batchSize: 90, learningRate: 0.1 }, secondsPerStep: 0.4 },
  ]);
  const app = await startApp(dataFolder);
  try {
    await compareAll(page, app.url);
    const table = page.getByRole('table', { name: 'Results and settings' });
    const cells = (label: string) => comparedCells(page, label);
    // 30 images in 0.3 s; 90 in 0.4 s.
    await expect(cells('Images/s, all ranks')).toHaveText(['100', '225', '225']);
    await expect(cells('Speed-up')).toHaveText(['1×', '2.25×', '2.25×']);
    await expect(cells('Scaling efficiency')).toHaveText(['–', '75.0 %', '75.0 %']);
    await expect(cells('Time per step')).toHaveText(['300 ms', '400 ms', '400 ms']);
    await expect(cells('Estimated before the start')).toHaveText(['–', '–', '–']);
    await expect(cells('Learning rate')).toHaveText(['0.02', '0.02', '0.1']);
    await expect(table.getByRole('rowheader', { name: 'Architecture' })).toHaveCount(0);
    await page.getByRole('radio', { name: 'Use three ranks as the baseline' }).click();
    await expect(cells('Speed-up')).toHaveText(['0.444×', '1×', '1×']);
    const loss = page.locator('figure[data-chart="loss"]');
    await expect(loss.locator('g[data-line]')).toHaveCount(3);
    await expect(loss).toHaveAttribute('data-points', String(3 * 60));
    const curve = loss.locator('g[data-line] path').first();
    const smoothed = (await curve.getAttribute('d')) ?? '';
    await page.getByRole('slider', { name: 'Strength of smoothing' }).press('Home');
    await expect(curve).not.toHaveAttribute('d', smoothed);
    await loss.getByRole('button', { name: 'one rank' }).click();
    await expect(loss.locator('g[data-line]')).toHaveCount(2);
    await expect(page.locator('figure[data-chart="top1"] g[data-line]')).toHaveCount(2);
    await page.screenshot({ path: info.outputPath('compare.png') });
  } finally {
    await app.stop();
  }
});

test('runs that differ only in their seeds are one curve with its range, and mean ± deviation', async ({
  page,
  dataFolder,
}, info) => {
  const runs = [0.02, 0.1].flatMap((learningRate) =>
    [1, 2, 3].map((seed) => ({
      name: `lr ${learningRate}, seed ${seed}`,
      experiment: { learningRate, seed },
      // Equally spaced seeds: the mean is the second's value.
      lossAt: (step: number): number => 10 * learningRate + seed + (60 - step) / 60,
    })),
  );
  await storeRuns(dataFolder, storedLab(1), runs);
  const app = await startApp(dataFolder);
  try {
    await compareAll(page, app.url);
    const loss = page.locator('figure[data-chart="loss"]');
    await expect(loss.locator('g[data-line]')).toHaveCount(6);
    await page.getByRole('combobox', { name: 'Group runs' }).click();
    await page.getByRole('option', { name: 'Same settings, other seed' }).click();
    await expect(loss.locator('g[data-line]')).toHaveCount(2);
    await expect(loss.locator('path[data-band]')).toHaveCount(2);
    // Zoomed to between two validations.
    const top1 = page.locator('figure[data-chart="top1"]');
    await dragAlong(page, await plotOf(top1), 1.2 / 3, 1.8 / 3);
    await expect(top1).toHaveAttribute('data-points', '0');
    await expect(top1.locator('g[data-line]')).toHaveCount(2);
    await page.screenshot({ path: info.outputPath('zoomed.png') });
    await page.getByRole('button', { name: 'Reset zoom' }).click();
    // 60 to 68 %, and 72 to 80 %.
    await expect(comparedCells(page, 'Best top-1')).toHaveText(['64.0 % ± 4.0 %', '76.0 % ± 4.0 %']);
    await expect(comparedCells(page, 'Learning rate')).toHaveText(['0.02', '0.1']);
    await expect(comparedCells(page, 'Seed')).toHaveText(['1, 2, 3', '1, 2, 3']);
    const item = loss.locator('button[data-legend="Learning rate 0.02 · 3 runs"]');
    // The last step's loss is 2.2 of the mean; the band is two high, from the first seed's to the third's.
    await expect(item).toContainText('2.217');
    const band = await boxAt(loss.locator('path[data-band]').first());
    const curve = await boxAt(loss.locator('g[data-line] path').first());
    const middle = (box: typeof band): number => box.y + box.height / 2;
    expect(Math.abs(middle(band) - middle(curve))).toBeLessThan(4);
    expect(band.height).toBeGreaterThan(2 * curve.height);
    await page.screenshot({ path: info.outputPath('groups.png') });
    expect(await violations(page)).toEqual([]);
    await item.click();
    await expect(loss.locator('path[data-band]')).toHaveCount(1);

    await page.getByRole('radio', { name: 'Use Learning rate 0.1 · 3 runs as the baseline' }).click();
    await expect(comparedCells(page, 'Speed-up')).toHaveText(['1×', '1×']);
    await page.getByRole('combobox', { name: 'Group runs' }).click();
    await page.getByRole('option', { name: 'By Learning rate' }).click();
    await expect(comparedCells(page, 'Learning rate')).toHaveText(['0.02', '0.1']);
    await page.getByRole('combobox', { name: 'Group runs' }).click();
    await page.getByRole('option', { name: 'No groups' }).click();
    await expect(loss.locator('g[data-line]')).toHaveCount(6);
  } finally {
    await app.stop();
  }
});
