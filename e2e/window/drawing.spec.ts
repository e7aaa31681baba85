/** Drawing with the mouse: copies beside their originals, undo and redo of everything, templates, many links at once. */
import type { Page } from '@playwright/test';
import { boxOf, cards, chooseHere, drag, insertTemplate, links } from '../pages/canvas-page.ts';
import {
  canvas,
  inspector,
  link,
  linkNodes,
  newLab,
  nodeCard,
  selectNode,
  setField,
  showPage,
  threeLocalNodes,
} from '../pages/lab-page.ts';
import { expect, test } from '../shared-app.ts';

test.beforeEach(async ({ page, app }) => {
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Lab menu' }).waitFor();
});

/** The label of a link: its numbers, and a text if it is the bottleneck. */
const label = (page: Page, numbers: string) => page.getByText(new RegExp(`^${numbers}( · bottleneck)?$`));
const ground = (page: Page): Promise<void> => canvas(page).click({ position: { x: 8, y: 8 } });
const undo = (page: Page): Promise<void> => page.getByRole('button', { name: 'Undo' }).click();
const redo = (page: Page): Promise<void> => page.getByRole('button', { name: 'Redo' }).click();

test('duplicate by key and by menu, with the links between the copies', async ({ page }, info) => {
  await threeLocalNodes(page);
  await nodeCard(page, 'N1').click();
  await page.keyboard.press('Control+d');
  await expect(cards(page)).toHaveCount(4);
  // A copy of one node has no links, since their other ends were not copied.
  await expect(links(page)).toHaveCount(3);
  const [original, copy] = [await boxOf(page, 'N1'), await boxOf(page, 'N4')];
  expect(
    Math.abs(copy.x - original.x) >= original.width || Math.abs(copy.y - original.y) >= original.height,
  ).toBe(true);
  await page.keyboard.press('Control+z');
  await expect(cards(page)).toHaveCount(3);

  await nodeCard(page, 'N1').click();
  await nodeCard(page, 'N2').click({ modifiers: ['Shift'] });
  await nodeCard(page, 'N3').click({ modifiers: ['Shift'] });
  await nodeCard(page, 'N2').click({ button: 'right' });
  await chooseHere(page, 'Duplicate');
  await expect(cards(page)).toHaveCount(6);
  await expect(links(page)).toHaveCount(6);
  await expect(link(page, 'N4', 'N5')).toHaveCount(1);
  await expect(inspector(page).getByText('3 nodes, 0 links')).toBeVisible();
  await page.screenshot({ path: info.outputPath('copies.png') });
  await page.keyboard.press('Control+z');
  await expect(cards(page)).toHaveCount(3);
  await page.keyboard.press('Control+y');
  await expect(cards(page)).toHaveCount(6);
  await expect(links(page)).toHaveCount(6);
});

test('a moved and a renamed node, an experiment setting and a link’s bandwidth are undone and redone', async ({
  page,
}) => {
  await threeLocalNodes(page);
  await expect(page.getByRole('button', { name: 'Undo' })).toBeDisabled();
  const before = await boxOf(page, 'N1');
  const bandwidth = inspector(page).getByLabel('Bandwidth', { exact: true });
  const epochs = inspector(page).getByLabel('Epochs', { exact: true });

  await drag(page, 'N1', { x: -80, y: 60 });
  await page.mouse.up();
  const moved = await boxOf(page, 'N1');
  expect(moved.y - before.y).toBeGreaterThan(30);
  await selectNode(page, 'N2');
  await setField(page, 'Name', 'Lyon');
  await ground(page);
  await showPage(page, 'Experiment');
  const oldEpochs = await epochs.inputValue();
  await setField(page, 'Epochs', '17');
  await link(page, 'N3', 'N1').click();
  const oldBandwidth = await bandwidth.inputValue();
  await setField(page, 'Bandwidth', '25');
  await expect(label(page, '25 Mbps')).toBeVisible();

  // Undoes one step after the other, by the header's button …
  await undo(page);
  await expect(bandwidth).toHaveValue(oldBandwidth);
  await expect(label(page, '25 Mbps')).toHaveCount(0);
  await ground(page);
  await showPage(page, 'Experiment');
  await expect(epochs).toHaveValue('17');
  await undo(page);
  await expect(epochs).toHaveValue(oldEpochs);
  await undo(page);
  await expect(nodeCard(page, 'Lyon')).toHaveCount(0);
  await expect(nodeCard(page, 'N2')).toBeVisible();
  await undo(page);
  await expect.poll(async () => (await boxOf(page, 'N1')).y).toBeCloseTo(before.y, 0);
  await expect(page.getByRole('button', { name: 'Undo' })).toBeDisabled();

  // … and redoes them: by the button, and by both shortcuts.
  await redo(page);
  await expect.poll(async () => (await boxOf(page, 'N1')).y).toBeCloseTo(moved.y, 0);
  await page.keyboard.press('Control+Shift+z');
  await expect(nodeCard(page, 'Lyon')).toBeVisible();
  await page.keyboard.press('Control+y');
  await expect(epochs).toHaveValue('17');
  await redo(page);
  await expect(label(page, '25 Mbps')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Redo' })).toBeDisabled();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await page.reload();
  await expect(nodeCard(page, 'Lyon')).toBeVisible();
  await expect(label(page, '25 Mbps')).toBeVisible();
});

test('templates: a ring at 10 Mbps, one machine with 8 GPUs, a star', async ({ page }, info) => {
  await newLab(page);
  await insertTemplate(page, 'Three nodes in a ring at 10 Mbps');
  await expect(cards(page)).toHaveCount(3);
  await expect(links(page)).toHaveCount(3);
  await expect(label(page, '10 Mbps')).toHaveCount(3);
  for (const [a, b] of [
    ['N1', 'N2'],
    ['N2', 'N3'],
    ['N3', 'N1'],
  ] as const)
    await expect(link(page, a, b)).toHaveCount(1);
  await page.screenshot({ path: info.outputPath('ring.png') });

  await newLab(page);
  await insertTemplate(page, 'One machine with 8 GPUs');
  await expect(cards(page)).toHaveCount(1);
  await expect(page.getByText('8 × RTX 3080 · 64 CPU · 512 GB')).toBeVisible();
  // The second is placed beside the first, and each is one undo step.
  await insertTemplate(page, 'Four nodes around a switch');
  await expect(cards(page)).toHaveCount(6);
  await expect(links(page)).toHaveCount(4);
  const [machine, hub] = [await boxOf(page, 'N1'), await boxOf(page, 'S1')];
  expect(hub.y).toBeGreaterThan(machine.y + machine.height);
  await page.screenshot({ path: info.outputPath('machine-and-star.png') });
  await page.keyboard.press('Control+z');
  await expect(cards(page)).toHaveCount(1);
});

test('several links get the same numbers at once', async ({ page }, info) => {
  await newLab(page);
  await insertTemplate(page, 'Three nodes in a ring at 10 Mbps');
  await ground(page);
  await link(page, 'N1', 'N2').click();
  await setField(page, 'Bandwidth', '40');
  await link(page, 'N2', 'N3').click({ modifiers: ['Shift'] });
  await expect(inspector(page).getByText('0 nodes, 2 links')).toBeVisible();
  const bandwidth = inspector(page).getByLabel('Bandwidth', { exact: true });
  await expect(bandwidth).toHaveValue('');
  await expect(bandwidth).toHaveAttribute('placeholder', 'Mixed');
  await setField(page, 'Bandwidth', '250');
  await setField(page, 'Delay', '5');
  await expect(label(page, '250 Mbps · 5 ms')).toHaveCount(2);
  await expect(label(page, '10 Mbps')).toHaveCount(1);
  await page.screenshot({ path: info.outputPath('links.png') });
  await page.keyboard.press('Control+z');
  await expect(label(page, '250 Mbps')).toHaveCount(2);
  await page.keyboard.press('Control+z');
  await expect(label(page, '40 Mbps')).toHaveCount(1);
  await expect(label(page, '10 Mbps')).toHaveCount(2);
});

test('the link between two copies has the original’s settings', async ({ page }) => {
  await newLab(page);
  const cpu = page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: 'CPU node' });
  await cpu.click();
  await cpu.click();
  await expect(cards(page)).toHaveCount(2);
  await ground(page);
  await linkNodes(page, 'N1', 'N2', '33');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+d');
  await expect(cards(page)).toHaveCount(4);
  await expect(label(page, '33 Mbps')).toHaveCount(2);
});

test('the key after a new link’s bandwidth applies to the link, and the one after a deletion to the drawing', async ({
  page,
}) => {
  await newLab(page);
  const cpu = page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: 'CPU node' });
  await cpu.click();
  await cpu.click();
  await linkNodes(page, 'N1', 'N2', '33');
  await expect(link(page, 'N1', 'N2')).toBeFocused();
  await expect(inspector(page).getByLabel('Bandwidth', { exact: true })).toHaveValue('33');
  await page.keyboard.press('Delete');
  await expect(links(page)).toHaveCount(0);
  await expect(cards(page)).toHaveCount(2);
  await expect(canvas(page)).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await expect(cards(page)).toHaveCount(0);
});
