/** The appearance of charts: a run's colour, a chart moved to the top, the cards' width, the order of values; all of it stored. */
import { expect, test } from '../fixtures.ts';
import { startApp } from '../app-process.ts';
import { boxAt } from '../pages/lab-page.ts';
import { chart, plotOf } from '../pages/runs-page.ts';
import { storedLab, storeRuns } from '../stored-runs.ts';

test('charts are moved to the top, cards resized, values sorted', async ({ page, dataFolder }, info) => {
  // Ranks cross in the middle of the run: first rank 0 is the highest, then rank 2.
  const lossAt = (step: number, rank: number): number => 5 + (rank - 1) * (step - 30) * 0.1;
  await storeRuns(dataFolder, storedLab(3), [{ name: 'liked', lossAt }]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Fill the window' }).click();
    const titles = page.locator('figure[data-chart] h3');
    await expect(titles).toHaveText([/Loss/, /Top-1/, /Top-5/, /Images/, /Step time/, /Sent/, /Learning/]);
    await chart(page, 'Step time').getByRole('button', { name: 'Put Step time on top' }).click();
    await expect(titles.first()).toHaveText('Step time');
    const width = async (): Promise<number> => (await boxAt(chart(page, 'Loss'))).width;
    const medium = await width();
    const look = page.getByRole('button', { name: 'Width of the cards and order of their values' });
    await look.click();
    await page.getByText('Large', { exact: true }).click();
    await expect.poll(width).toBeGreaterThan(1.3 * medium);
    await page.screenshot({ path: info.outputPath('large.png') });
    await page.getByText('Small', { exact: true }).click();
    await expect.poll(width).toBeLessThan(medium);
    await page.getByText('Largest first', { exact: true }).click();
    await page.keyboard.press('Escape');
    await expect(look).toBeFocused();
    await page.screenshot({ path: info.outputPath('small.png') });

    // After a reload it is unchanged; the values at the cursor are sorted at every position.
    await page.reload();
    await page.getByRole('button', { name: 'Fill the window' }).click();
    await expect(titles.first()).toHaveText('Step time');
    await expect.poll(width).toBeLessThan(medium);
    const loss = chart(page, 'Loss');
    const ranks = (): Promise<string[]> =>
      loss
        .locator('button[data-legend^="Rank"]')
        .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.legend ?? ''));
    const plot = await plotOf(loss);
    await page.mouse.move(...plot.at(0.1));
    await expect.poll(ranks).toEqual(['Rank 0 · N1', 'Rank 1 · N2', 'Rank 2 · N3']);
    await page.mouse.move(...plot.at(0.9));
    await expect.poll(ranks).toEqual(['Rank 2 · N3', 'Rank 1 · N2', 'Rank 0 · N1']);

    // By keyboard: back in its place, and in the lines' order.
    await chart(page, 'Step time').getByRole('button', { name: 'Put Step time back in its place' }).focus();
    await page.keyboard.press('Space');
    await expect(titles.first()).toHaveText('Loss');
    await look.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: 'Largest first' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Escape');
    await expect.poll(ranks).toEqual(['Rank 0 · N1', 'Rank 1 · N2', 'Rank 2 · N3']);
  } finally {
    await app.stop();
  }
});

test('a run’s colour is the same in the table, the list, its charts and comparisons', async ({
  page,
  dataFolder,
}, info) => {
  await storeRuns(dataFolder, storedLab(2), [{ name: 'first' }, { name: 'second' }, { name: 'third' }]);
  const magenta = 'rgb(211, 49, 146)';
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Fill the window' }).click();
    await page.getByRole('button', { name: 'All runs in a table' }).click();
    const table = page.getByRole('table', { name: 'All runs' });
    await table.getByRole('button', { name: 'Colour of second' }).click();
    await page.getByRole('radio', { name: 'Magenta' }).click();
    await page.screenshot({ path: info.outputPath('choosing.png') });
    await page.keyboard.press('Escape');
    await page.reload();
    // The address of the page still names the table.
    await page.getByRole('button', { name: 'Fill the window' }).click();
    const dot = table.getByRole('button', { name: 'Colour of second' }).locator('span');
    await expect(dot).toHaveCSS('background-color', magenta);

    await page.getByRole('checkbox', { name: 'Select all listed runs' }).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    const stroke = (run: number) =>
      page.locator(`figure[data-chart="loss"] [data-line^="stored-000${run}"] path`).first();
    await expect(stroke(1)).toHaveCSS('stroke', magenta);
    await expect(stroke(0)).not.toHaveCSS('stroke', magenta);
    const sides = page.getByRole('table', { name: 'Results and settings' });
    await expect(sides.getByRole('button', { name: 'Colour of second' }).locator('span')).toHaveCSS(
      'background-color',
      magenta,
    );
    // By keyboard, beside the others: the next colour, and the curves follow.
    await sides.getByRole('button', { name: 'Colour of second' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('radio', { name: 'Magenta' })).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(page.getByRole('radio', { name: 'Indigo' })).toBeChecked();
    await page.keyboard.press('Escape');
    await expect(stroke(1)).toHaveCSS('stroke', 'rgb(102, 112, 204)');
    await page.screenshot({ path: info.outputPath('compared.png') });

    await page.getByRole('button', { name: 'Back to all runs' }).click();
    await table.getByRole('button', { name: 'second', exact: true }).click();
    const rate = chart(page, 'Learning rate').locator('[data-line] path').first();
    await expect(rate).toHaveCSS('stroke', 'rgb(102, 112, 204)');
    // A rank keeps its node's colour.
    await expect(chart(page, 'Loss').locator('[data-line="rank-0/step/loss"] path').first()).toHaveCSS(
      'stroke',
      'rgb(47, 127, 193)',
    );
  } finally {
    await app.stop();
  }
});
