/** The table of runs: sort, filter, star, tag, note, archive, delete and restore. */
import { expect, test } from '../fixtures.ts';
import { boxAt } from '../pages/lab-page.ts';
import { startApp } from '../app-process.ts';
import { storedLab, storeRuns } from '../stored-runs.ts';

test('find, mark, archive, delete and restore runs', async ({ page, dataFolder }, info) => {
  await storeRuns(dataFolder, storedLab(3), [
    { name: 'baseline' },
    { name: 'faster', experiment: { learningRate: 0.1 } },
    { name: 'wide', experiment: { batchSize: 192 }, record: { tags: ['wide'] } },
    { name: 'one node', ranks: 1 },
  ]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'All runs in a table' }).click();
    const table = page.getByRole('table', { name: 'All runs' });
    const row = (name: string) =>
      table.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) });
    const order = () => table.locator('tbody th button:not([aria-haspopup])').allInnerTexts();
    await expect(table.locator('tbody tr')).toHaveCount(4);
    expect(await order()).toEqual(['one node', 'wide', 'faster', 'baseline']);

    // Differences are highlighted: in the column's head, and in cells that differ from the majority.
    await expect(table.locator('thead [data-column="learningRate"]')).toHaveAttribute('data-differs', 'true');
    await expect(table.locator('thead [data-column="architecture"]')).toHaveAttribute(
      'data-differs',
      'false',
    );
    await expect(row('faster').locator('td[data-column="learningRate"]')).toHaveAttribute(
      'data-differs',
      'true',
    );
    await expect(row('baseline').locator('td[data-column="learningRate"]')).toHaveAttribute(
      'data-differs',
      'false',
    );

    await table.getByRole('button', { name: 'Learning rate' }).click();
    await table.getByRole('button', { name: 'Learning rate' }).click();
    expect((await order()).at(-1)).toBe('faster');

    const filter = page.getByRole('textbox', { name: 'Filter runs' });
    await filter.fill('#wide');
    await expect(table.locator('tbody tr')).toHaveCount(1);
    await filter.fill('lr:0.1');
    expect(await order()).toEqual(['faster']);
    await filter.fill('');

    await page.getByRole('button', { name: 'Star baseline' }).click();
    await expect(page.getByRole('button', { name: 'Unstar baseline' })).toBeVisible();
    await page.getByText('Starred', { exact: true }).click();
    expect(await order()).toEqual(['baseline']);
    await page.getByText('Runs', { exact: true }).last().click();

    await page.getByRole('checkbox', { name: 'Select faster' }).click();
    await page.getByRole('checkbox', { name: 'Select wide' }).click();
    await page.getByRole('button', { name: 'Tags' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox').or(dialog.getByRole('textbox')).first().fill('try');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(row('wide')).toContainText('try');
    await expect(row('wide')).toContainText('wide');
    await expect(row('faster')).toContainText('try');
    await page.screenshot({ path: info.outputPath('table.png') });

    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await expect(table.locator('tbody tr')).toHaveCount(2);
    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click();
    await expect(table.locator('tbody tr')).toHaveCount(4);

    // A comparison takes the marks over: none is left for a later 'Delete'.
    await page.getByRole('checkbox', { name: 'Select all listed runs' }).click();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('button', { name: 'Back to all runs' }).click();
    await expect(page.getByRole('checkbox', { name: /^Select/, checked: true })).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Back to the comparison of 4' })).toBeVisible();

    // The first Escape takes what was typed, the second closes; nothing is changed.
    await page.getByRole('checkbox', { name: 'Select faster' }).click();
    await page.getByRole('button', { name: 'Tags' }).click();
    await dialog.getByRole('combobox').or(dialog.getByRole('textbox')).first().fill('not kept');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(row('faster')).not.toContainText('not kept');

    // A row has the run's menu, by mouse and by keyboard, and F2 renames.
    await row('one node').click({ button: 'right' });
    await expect(page.getByRole('menuitem', { name: 'Report (one HTML file)' })).toBeVisible();
    await page.keyboard.press('Escape');
    const first = row('one node').getByRole('button', { name: 'one node', exact: true });
    await first.focus();
    await page.keyboard.press('F2');
    await expect(dialog.getByRole('textbox', { name: 'Name of the run' })).toHaveValue('one node');
    await page.keyboard.press('Escape');
    await first.focus();
    await page.keyboard.press('Shift+F10');
    await expect(page.getByRole('menuitem', { name: 'Delete run…' })).toBeVisible();
    await page.keyboard.press('Escape');

    await page.getByRole('checkbox', { name: 'Select wide' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    // The question names what it is about.
    await expect(dialog.getByRole('listitem')).toHaveText(['wide', 'faster']);
    await dialog.getByRole('button', { name: 'Delete run' }).click();
    await expect(table.locator('tbody tr')).toHaveCount(2);
    // A deleted run can be restored from the bin, even after the notification has closed.
    await page.getByText('Bin', { exact: true }).click();
    await expect(table.locator('tbody tr')).toHaveCount(2);
    await page.getByRole('checkbox', { name: 'Select all listed runs' }).click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await expect(table.locator('tbody tr')).toHaveCount(0);
    await page.getByText('Runs', { exact: true }).last().click();
    await expect(table.locator('tbody tr')).toHaveCount(4);

    await row('wide').getByRole('button', { name: 'wide', exact: true }).click();
    await expect(page.getByRole('list', { name: 'Run wide' })).toBeVisible();

    // A run's notes are stored with it, and the filter finds them.
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Rename and notes…' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Notes' }).fill('diverges after the warm-up');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'All runs in a table' }).click();
    await filter.fill('warm-up');
    expect(await order()).toEqual(['wide']);
    await expect(table.getByRole('rowheader')).toHaveAttribute('title', 'diverges after the warm-up');
  } finally {
    await app.stop();
  }
});

test('a long name is cut at its end, and names stay in view beside the columns that are scrolled to', async ({
  page,
  dataFolder,
}, info) => {
  const long = '很长的名字 long name/'.repeat(20);
  await storeRuns(dataFolder, storedLab(1), [{ name: 'short' }, { name: long }]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'All runs in a table' }).click();
    const table = page.getByRole('table', { name: 'All runs' });
    const name = page.getByRole('button', { name: long, exact: true });
    const cell = table.getByRole('rowheader').filter({ has: name });
    const isInside = async (): Promise<boolean> => {
      const [outer, inner] = [await boxAt(cell), await boxAt(name)];
      return inner.width > 200 && inner.x > outer.x && inner.x + inner.width <= outer.x + outer.width;
    };
    expect(await isInside()).toBe(true);
    await page.getByRole('switch', { name: 'All settings' }).press(' ');
    const end = table.locator('thead th').last();
    await expect(end).not.toBeInViewport();
    await end.scrollIntoViewIfNeeded();
    await expect(end).toBeInViewport();
    await expect(name).toBeInViewport();
    expect(await isInside()).toBe(true);
    await page.screenshot({ path: info.outputPath('long-name.png') });
  } finally {
    await app.stop();
  }
});
