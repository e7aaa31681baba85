/** New runs from the table and from a run, with the mouse: a sweep over two settings and a repeated run, three ranks each. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunRecord } from '../../../src/shared/run/run.ts';
import { expect, test } from '../../fixtures.ts';
import { openExample, setField, showPage } from '../../pages/lab-page.ts';

/** The runs of a data folder, the oldest first. */
async function storedRecords(dataFolder: string): Promise<RunRecord[]> {
  const folder = join(dataFolder, 'runs');
  const texts = await Promise.all(
    (await readdir(folder)).map((id) => readFile(join(folder, id, 'run.json'), 'utf8')),
  );
  return texts
    .map((text) => RunRecord.parse(JSON.parse(text)))
    .sort((a, b) => (a.startedAt ?? a.createdAt) - (b.startedAt ?? b.createdAt));
}

/** Three real trainings, one after the other, also on a busy machine. */
test.setTimeout(480_000);

test('a sweep over two settings trains one run after the other on the same nodes; one is repeated with a change', async ({
  page,
  app,
  dataFolder,
}, info) => {
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  // Four runs are queued, two deleted, and one of the others repeated. A run of two steps is over before a busy page has shown the queue.
  for (const [field, value] of [
    ['Epochs', '1'],
    ['Training images', '480'],
    ['Validation images', '12'],
    ['Batch size', '24'],
  ] as const)
    await setField(page, field, value);
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await page.getByRole('button', { name: 'Several at once: a sweep…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sweep over the lab as it is drawn' });
  const values = dialog.getByRole('textbox', { name: 'Values, separated by spaces' });
  const settings = dialog.getByRole('combobox', { name: 'Setting' });
  await values.fill('0.02 0.1');
  await dialog.getByRole('button', { name: 'Add a second setting' }).click();
  await settings.nth(1).click();
  await page.getByRole('option', { name: 'Seed', exact: true }).click();
  await values.nth(1).fill('1 2');
  await page.screenshot({ path: info.outputPath('sweep.png') });
  await dialog.getByRole('button', { name: 'Queue 4 runs' }).click();
  await expect(dialog).toBeHidden();

  await page.getByRole('button', { name: 'Fill the window' }).click();
  await page.getByRole('button', { name: 'All runs in a table' }).click();
  const table = page.getByRole('table', { name: 'All runs' });
  await expect(table.locator('tbody tr')).toHaveCount(4);
  // One is active, the others wait in the queue.
  await expect(table.locator('tbody tr').filter({ hasText: 'Queued' })).toHaveCount(3);
  await page.screenshot({ path: info.outputPath('queued.png') });
  // Deletes the newest two.
  for (const index of [0, 1]) await table.locator('tbody tr').nth(index).getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete run' }).click();
  await expect(table.locator('tbody tr')).toHaveCount(2);
  await expect(table.locator('tbody tr').filter({ hasText: 'Finished' })).toHaveCount(2, {
    timeout: 240_000,
  });
  await expect(table.locator('thead [data-column="seed"]')).toHaveAttribute('data-differs', 'true');

  const runs = (await storedRecords(dataFolder)).filter(({ state }) => state === 'finished');
  expect(runs.map(({ lab }) => [lab.experiment.learningRate, lab.experiment.seed])).toEqual([
    [0.02, 1],
    [0.02, 2],
  ]);
  expect(new Set(runs.map(({ origin }) => origin?.sweep)).size).toBe(1);
  expect(new Set(runs.map(({ ranks: of }) => of.map(({ nodeId }) => nodeId).join())).size).toBe(1);
  for (const [index, run] of runs.entries()) {
    expect([run.state, run.step, run.ranks.length]).toEqual(['finished', 20, 3]);
    expect(run.startedAt ?? 0).toBeGreaterThanOrEqual(runs[index - 1]?.endedAt ?? 0);
  }

  // Repeats the last of them with one change.
  await table.locator('tbody tr').first().locator('th button:not([aria-haspopup])').click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Repeat with a change…' }).click();
  const repeat = page.getByRole('dialog', { name: /^Repeat / });
  await repeat.getByRole('combobox', { name: 'Setting' }).click();
  await page.getByRole('option', { name: 'Momentum', exact: true }).click();
  await repeat.getByRole('textbox', { name: 'Values, separated by spaces' }).fill('0.5');
  await repeat.getByRole('button', { name: 'Queue 1 run' }).click();
  await page.getByRole('button', { name: 'All runs in a table' }).click();
  await expect(table.locator('tbody tr').filter({ hasText: 'Finished' })).toHaveCount(3, {
    timeout: 150_000,
  });
  const again = (await storedRecords(dataFolder)).find(({ origin }) => origin?.repeats !== undefined);
  const before = runs.at(-1);
  expect(again?.origin?.repeats).toBe(before?.id);
  expect(again?.lab.experiment).toEqual({ ...before?.lab.experiment, momentum: 0.5 });
});
