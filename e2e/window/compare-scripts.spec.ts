/** Runs of own scripts side by side, with the native trainer's: their scalars, results and settings; columns and search. */
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { startApp } from '../app-process.ts';
import { violations } from '../pages/rules.ts';
import { chart, comparedCells } from '../pages/runs-page.ts';
import { storedLab, storeRuns, type StoredRun } from '../stored-runs.ts';

const steps = 60;

/** A loss that falls from `from` to a tenth, an accuracy as a fraction, and a value that the first script alone has. */
const scripted = (name: string, args: string, from: number, extra?: string): StoredRun => ({
  name,
  ranks: 1,
  experiment: {
    script: { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: args },
  },
  record: { code: { hash: name.padEnd(16, '0').replaceAll(/[^0-9a-f]/g, 'a'), files: 1, bytes: 9 } },
  lines: () =>
    Array.from({ length: steps }, (_, step) => {
      const share = step / (steps - 1);
      const values = {
        'train/loss': from * (1 - 0.9 * share),
        accuracy: 0.5 + 0.4 * share - (step === steps - 1 ? 0.1 : 0),
        ...(extra === undefined ? {} : { [extra]: step }),
      };
      return { kind: 'scalar', t: step, step, from: 'json', values };
    }),
});

async function openTable(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'All runs in a table' }).click();
}

test('scripts and the native trainer are compared: their scalars, results, and options that differ', async ({
  page,
  dataFolder,
}, info) => {
  await storeRuns(dataFolder, storedLab(1), [
    scripted('slow', '--lr 0.1 --epochs 3', 2, 'gpu'),
    scripted('fast', '--lr 0.5 --epochs 3', 1),
    { name: 'trainer', ranks: 1 },
  ]);
  const app = await startApp(dataFolder);
  try {
    await openTable(page, app.url);
    const table = page.getByRole('table', { name: 'All runs' });
    // The newest run is the first row; the trainer's has no scalars, and the scripts none of its settings.
    const cells = (column: string) => table.locator(`tbody td[data-column="${column}"]`);
    await expect(cells('lowest train/loss')).toHaveText(['–', '0.1', '0.2']);
    await expect(cells('highest accuracy')).toHaveText(['–', '0.8932', '0.8932']);
    await expect(cells('--lr')).toHaveText(['–', '0.5', '0.1']);
    await expect(cells('batchSize')).toHaveText([/\d/, '–', '–']);
    await expect(cells('--epochs')).toHaveCount(0);

    await page.getByRole('button', { name: 'Scalars…' }).click();
    const choice = page.getByRole('combobox', { name: 'Scalars as columns' });
    await choice.fill('gpu');
    await page.getByRole('option', { name: 'gpu, last' }).click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(cells('final gpu')).toHaveText(['–', '–', '59']);

    const filter = page.getByRole('textbox', { name: 'Filter runs' });
    await filter.fill('min:train/loss<0.15');
    await expect(table.locator('tbody tr[data-run]')).toHaveCount(1);
    await expect(table.getByRole('button', { name: 'fast', exact: true })).toBeVisible();
    await filter.fill('lr>0.05');
    await expect(table.locator('tbody tr[data-run]')).toHaveCount(2);
    await filter.fill('');

    await page.getByRole('switch', { name: 'Parallel coordinates' }).click();
    const parallel = page.getByRole('region', { name: 'Parallel coordinates of the runs' });
    await expect(parallel.getByText('--lr', { exact: true })).toBeVisible();
    await expect(parallel.getByRole('slider', { name: /train\/loss, lowest/ })).toBeVisible();
    await page.screenshot({ path: info.outputPath('table.png') });

    await page.getByRole('checkbox', { name: 'Select all listed runs' }).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Fill the window' }).click();
    // The trainer's own loss chart is not shown a second time.
    const scrollTo = (name: string) => page.locator(`[data-scalar="${name}"]`).scrollIntoViewIfNeeded();
    await scrollTo('train/loss');
    const loss = chart(page, 'train/loss');
    await expect(loss.locator('g[data-line]')).toHaveCount(3);
    await expect(page.locator('figure[data-chart="loss"]')).toHaveCount(0);
    await scrollTo('accuracy');
    await expect(chart(page, 'accuracy').locator('g[data-line]')).toHaveCount(2);
    await expect(page.locator('figure[data-chart="top1"] g[data-line]')).toHaveCount(1);
    await expect(comparedCells(page, 'train/loss, last')).toHaveText(['0.2', '0.1', '–']);
    await expect(comparedCells(page, 'accuracy, highest')).toHaveText(['0.8932', '0.8932', '–']);
    await expect(comparedCells(page, 'Script')).toHaveText(['train.py', 'train.py', '–']);
    await expect(comparedCells(page, '--lr')).toHaveText(['0.1', '0.5', '–']);
    await expect(comparedCells(page, 'Code')).toHaveText([/^\w{16}$/, /^\w{16}$/, '–']);
    await page.screenshot({ path: info.outputPath('compare.png') });
    expect(await violations(page)).toEqual([]);

    await scrollTo('train/loss');
    await loss.getByRole('button', { name: 'slow' }).click();
    await expect(loss.locator('g[data-line]')).toHaveCount(2);
    await scrollTo('accuracy');
    await expect(chart(page, 'accuracy').locator('g[data-line]')).toHaveCount(1);
  } finally {
    await app.stop();
  }
});
