/** Compares one process, DataParallel, DistributedDataParallel, and the last with four times the batch. */
import { expect, test } from '../fixtures.ts';
import { openExample, setField, showPage } from '../pages/lab-page.ts';
import { comparedCells } from '../pages/runs-page.ts';

test.setTimeout(8 * 60_000);

test('the comparison of parallelisms is queued by one button, and shown when the runs are done', async ({
  page,
  app,
}, info) => {
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  for (const [field, value] of [
    ['Epochs', '1'],
    ['Training images', '192'],
    ['Validation images', '48'],
    ['Batch size', '12'],
  ] as const)
    await setField(page, field, value);
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await page.getByRole('button', { name: 'Several at once: a sweep…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sweep over the lab as it is drawn' });
  await expect(dialog).toContainText('these with a batch of 48');
  await page.screenshot({ path: info.outputPath('sweep.png') });
  await dialog.getByRole('button', { name: 'Compare parallel training modes' }).click();
  await expect(page.getByText('4 runs are in the queue.')).toBeVisible();
  await page.getByRole('button', { name: 'Fill the window' }).click();
  await expect(comparedCells(page, 'Speed-up')).toHaveText([/^1×$/, /^[\d.]+×$/, /^[\d.]+×$/, /^[\d.]+×$/], {
    timeout: 6 * 60_000,
  });
  await expect(comparedCells(page, 'Batch size')).toHaveText(['12', '12', '12', '48']);
  await expect(page.locator('figure[data-chart="loss"] g[data-line]')).toHaveCount(4);
  await page.screenshot({ path: info.outputPath('compared.png') });
});
