/** The main flow without a mouse: draw, link, undo, set, run, look, export. No call of `click`, `hover` or `mouse` here. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '../fixtures.ts';
import { pressButton, tabTo, typeInto } from '../pages/keyboard.ts';
import { boxAt, inspector, nodeCard, opensLab, waitForState } from '../pages/lab-page.ts';

test('draw, link, run and export by keyboard alone', async ({ page, app }, info) => {
  await page.goto(app.url);
  const cards = page.locator('.react-flow__node');
  const links = page.locator('.react-flow__edge');
  await expect(cards).toHaveCount(3);

  // A new lab from the menu. Escape closes the menu first, and the focus returns to where it was.
  const menu = page.getByRole('button', { name: 'Lab menu' });
  const entry = page.getByRole('menuitem', { name: 'New lab' });
  await pressButton(page, menu);
  await expect(entry).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(entry).toBeHidden();
  await expect(menu).toBeFocused();
  await opensLab(page, async () => {
    await page.keyboard.press('Enter');
    await expect(entry).toBeFocused();
    await page.keyboard.press('Enter');
  });
  await expect(page.getByRole('textbox', { name: 'Name of the lab' })).toHaveValue(/^New lab/);
  await expect(cards).toHaveCount(0);

  // Three nodes from the palette, the second named, the third moved.
  const palette = page.getByRole('region', { name: 'Palette' });
  const cpu = palette.getByRole('button', { name: 'CPU node' });
  await pressButton(page, cpu);
  await expect(nodeCard(page, 'N1')).toBeVisible();
  await pressButton(page, cpu, 'Space');
  await expect(nodeCard(page, 'N2')).toBeVisible();
  await typeInto(page, inspector(page).getByLabel('Name', { exact: true }), 'Lyon');
  await expect(nodeCard(page, 'Lyon')).toBeVisible();
  await pressButton(page, cpu);
  await expect(cards).toHaveCount(3);
  // Its name is the first free one again.
  await tabTo(page, nodeCard(page, 'N2'));
  const before = await boxAt(nodeCard(page, 'N2'));
  for (let times = 0; times < 6; times += 1) await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await boxAt(nodeCard(page, 'N2'))).x).toBeGreaterThan(before.x + 20);

  // Links: from the focused card with L, and from the inspector's button.
  await tabTo(page, nodeCard(page, 'N1'));
  await page.keyboard.press('l');
  await chooseTarget('Lyon');
  await answerBandwidth('10');
  await expect(links).toHaveCount(1);
  await tabTo(page, nodeCard(page, 'Lyon'));
  await page.keyboard.press('Enter');
  await expect(inspector(page).getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(nodeCard(page, 'Lyon')).toBeFocused();
  await page.keyboard.press('Enter');
  await pressButton(page, inspector(page).getByRole('button', { name: 'Connect to…' }));
  await chooseTarget('N2');
  await answerBandwidth('100');
  await expect(links).toHaveCount(2);

  // Delete and undo.
  await tabTo(page, nodeCard(page, 'N2'));
  await page.keyboard.press('Delete');
  await expect(cards).toHaveCount(2);
  await page.keyboard.press('Control+Z');
  await expect(cards).toHaveCount(3);
  await expect(links).toHaveCount(2);

  // The experiment. Tabs are one tab stop; arrow keys move between them.
  await tabTo(page, inspector(page).getByRole('tab', { selected: true }));
  await page.keyboard.press('ArrowRight');
  await expect(inspector(page).getByRole('tab', { name: 'Experiment' })).toBeFocused();
  await expect(inspector(page).getByLabel('Epochs', { exact: true })).toBeVisible();
  for (const [name, value] of [
    ['Training images', '36'],
    ['Validation images', '12'],
    ['Epochs', '1'],
    ['Batch size', '36'],
  ] as const) {
    await typeInto(page, inspector(page).getByLabel(name, { exact: true }), value);
  }
  await pressButton(page, page.getByRole('button', { name: 'Run experiment' }));
  await waitForState(page, 'finished', 120_000);

  // The run's tabs.
  await tabTo(page, page.getByRole('tab', { name: 'Charts', exact: true }));
  for (const [name, view] of [
    ['Utilisation', page.getByRole('region', { name: 'Utilisation' })],
    ['Ranks', page.getByRole('table').first()],
    ['Logs', page.getByRole('log').first()],
    ['Checkpoints', page.getByRole('table', { name: 'Checkpoints' })],
    ['Preparation', page.getByRole('region', { name: 'Preparation of the nodes' })],
  ] as const) {
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('tab', { name, exact: true })).toBeFocused();
    await expect(view).toBeVisible();
  }

  const download = page.waitForEvent('download', { timeout: 60_000 });
  await pressButton(page, page.getByRole('button', { name: 'Export model_best' }));
  const file = join(info.outputDir, 'model_best.pth.tar');
  await (await download).saveAs(file);
  expect((await stat(file)).size).toBeGreaterThan(40_000_000);

  async function chooseTarget(name: string): Promise<void> {
    const question = page.getByRole('dialog', { name: /^Link from/ });
    await expect(question.getByRole('combobox').or(question.getByRole('textbox')).first()).toBeFocused();
    await page.keyboard.type(name);
    const option = page.getByRole('option', { name, exact: true });
    await expect(page.getByRole('option')).toHaveText([name]);
    await expect(option).toHaveAttribute('data-combobox-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(option).toBeHidden();
    await expect(question.getByRole('button', { name: 'Connect', exact: true })).toBeEnabled();
    await page.keyboard.press('Enter');
    await expect(question).toBeHidden();
  }
  async function answerBandwidth(mbps: string): Promise<void> {
    const question = page.getByRole('dialog', { name: /^Link / });
    await expect(question.getByRole('textbox', { name: 'Bandwidth' })).toBeFocused();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(mbps);
    await page.keyboard.press('Enter');
    await expect(question).toBeHidden();
  }
});
