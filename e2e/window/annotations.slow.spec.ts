/** Notes and coloured areas on the drawing, by mouse: drawn, edited, resized, moved, copied, locked, undone, exported. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { parseLab } from '../../src/shared/lab/read-lab.ts';
import { boxOf, chooseHere, command, drag, exportAs, insertTemplate } from '../pages/canvas-page.ts';
import { boxAt, canvas, inspector, newLab, nodeCard } from '../pages/lab-page.ts';
import { expect, test } from '../shared-app.ts';

test.beforeEach(async ({ page, app }) => {
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Lab menu' }).waitFor();
  await newLab(page);
});

const all = (page: Page): Locator => page.locator('.react-flow__node.annotation');
const withText = (page: Page, text: string): Locator => all(page).filter({ hasText: text });
const palette = (page: Page, name: string): Locator =>
  page.getByRole('region', { name: 'Palette' }).getByRole('button', { name, exact: true });
async function pull(page: Page, from: { x: number; y: number }, by: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + by.x / 2, from.y + by.y / 2, { steps: 3 });
  await page.mouse.move(from.x + by.x, from.y + by.y, { steps: 3 });
  await page.mouse.up();
}

test('a note is dragged from the palette, edited, resized, moved and undone', async ({ page }, info) => {
  const ground = await boxAt(canvas(page));
  const item = await boxAt(palette(page, 'Note'));
  const to = { x: ground.x + 300, y: ground.y + 200 };
  await page.mouse.move(item.x + item.width / 2, item.y + item.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 6 });
  await page.mouse.up();
  await expect(all(page)).toHaveCount(1);
  // Editing starts at once.
  await page.keyboard.type('First line');
  await page.keyboard.press('Enter');
  await page.keyboard.type('第二行');
  await page.keyboard.press('Escape');
  await expect(withText(page, 'First line')).toHaveText('First line\n第二行');
  const note = all(page);
  const drawn = await boxAt(note);
  expect([drawn.width, drawn.height]).toEqual([200, 80]);
  expect(Math.abs(drawn.x + drawn.width / 2 - to.x)).toBeLessThanOrEqual(10.5);

  const { x, y, width, height } = drawn;
  await pull(page, { x: x + width, y: y + height }, { x: 61, y: 43 });
  await expect.poll(async () => (await boxAt(note)).width).toBe(260);
  expect((await boxAt(note)).height).toBe(120);
  await pull(page, { x, y }, { x: -41, y: -20 });
  await expect.poll(async () => boxAt(note)).toEqual({ x: x - 40, y: y - 20, width: 300, height: 140 });
  await page.screenshot({ path: info.outputPath('note.png') });
  await pull(page, { x: x + 60, y: y + 60 }, { x: 100, y: 60 });
  await expect.poll(async () => (await boxAt(note)).x - x).toBeGreaterThan(20);
  const moved = await boxAt(note);
  expect([moved.width, moved.height, (moved.x - x) % 20]).toEqual([300, 140, 0]);

  await note.dblclick();
  await page.keyboard.type(', and more');
  await canvas(page).click({ position: { x: 8, y: 8 } });
  await expect(note).toHaveText('First line\n第二行, and more');
  // Each of these is one undo step.
  await page.keyboard.press('Control+z');
  await expect(note).toHaveText('First line\n第二行');
  await page.keyboard.press('Control+z');
  await expect.poll(async () => (await boxAt(note)).x).toBe(x - 40);
  await page.keyboard.press('Control+z');
  await expect.poll(async () => boxAt(note)).toEqual({ x, y, width: 260, height: 120 });
  for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press('Control+z');
  await expect(all(page)).toHaveCount(0);
  for (let steps = 0; steps < 6; steps += 1) await page.keyboard.press('Control+Shift+z');
  await expect(note).toHaveText('First line\n第二行, and more');
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await page.reload();
  await expect(note).toHaveText('First line\n第二行, and more');
});

test('areas lie behind the nodes, with a label and a colour; copied, locked and exported', async ({
  page,
}, info) => {
  await insertTemplate(page, 'Three nodes in a ring at 10 Mbps');
  await canvas(page).click({ button: 'right', position: { x: 500, y: 60 } });
  await chooseHere(page, 'Add a coloured area');
  await page.keyboard.type('Campus');
  await page.keyboard.press('Control+Enter');
  await expect(withText(page, 'Campus')).toHaveCount(1);
  await command(page, 'Add an ellipse');
  await page.keyboard.type('Cloud');
  await page.keyboard.press('Escape');
  await expect(all(page)).toHaveCount(2);
  const textField = inspector(page).getByLabel('Text', { exact: true });
  await expect(textField).toHaveValue('Cloud');
  await textField.fill('Cloud in Paris');
  await expect(withText(page, 'Cloud in Paris')).toHaveCount(1);
  await inspector(page).getByRole('button', { name: 'Violet' }).click();
  await page.screenshot({ path: info.outputPath('areas.png') });

  // A click on a node inside the area selects the node.
  const cloud = withText(page, 'Cloud in Paris');
  const [area, card] = [await boxAt(cloud), await boxOf(page, 'N2')];
  const into = { x: area.x + area.width / 2 - card.x - 90, y: area.y + area.height / 2 - card.y - 50 };
  await drag(page, 'N2', into);
  await page.mouse.up();
  await nodeCard(page, 'N2').click();
  await expect(inspector(page).getByLabel('Name', { exact: true })).toHaveValue('N2');

  // A frame within the area selects the node, and not the area.
  const moved = await boxOf(page, 'N2');
  await page.keyboard.down('Shift');
  await page.mouse.move(moved.x - 8, moved.y - 8);
  await page.mouse.down();
  await page.mouse.move(moved.x + 30, moved.y + 30, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  const chosen = page.locator('.react-flow__node.selected');
  await expect(chosen).toHaveCount(1);
  await expect(chosen).toContainText('N2');
  await page.keyboard.press('Control+z');

  // Copied together with a node; a locked one stays.
  await cloud.click({ position: { x: 60, y: 160 } });
  await nodeCard(page, 'N1').click({ modifiers: ['Shift'] });
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Control+v');
  await expect(withText(page, 'Cloud in Paris')).toHaveCount(2);
  await expect(nodeCard(page, 'N4')).toBeVisible();
  await page.keyboard.press('Delete');
  await expect(cloud).toHaveCount(1);
  await cloud.click({ button: 'right', position: { x: 60, y: 160 } });
  await chooseHere(page, 'Lock in place');
  await cloud.click({ position: { x: 60, y: 160 } });
  await page.keyboard.press('Delete');
  await expect(page.getByText('1 locked item was not deleted. Unlock it first.')).toBeVisible();
  await expect(cloud).toHaveCount(1);

  const svg = await exportAs(page, 'Export as SVG picture', info.outputPath('areas.svg'));
  expect(svg.toString('utf8')).toContain('Cloud in Paris');
  expect(svg.toString('utf8')).toContain('<ellipse');
  const file = await exportAs(page, 'Export the lab file', info.outputPath('areas.lab.json'));
  expect(parseLab(file.toString('utf8'), 'areas').annotations).toMatchObject([
    { kind: 'rectangle', text: 'Campus', colour: 'blue' },
    { kind: 'ellipse', text: 'Cloud in Paris', colour: 'violet', locked: true },
  ]);
  await exportAs(page, 'Export as PNG picture', info.outputPath('areas-export.png'));
  expect((await readFile(info.outputPath('areas-export.png'))).length).toBeGreaterThan(5000);
});

test('by keyboard: selected by Tab, moved by arrows, edited by Enter, removed by Delete', async ({
  page,
}) => {
  await palette(page, 'Area').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Rack 7');
  await page.keyboard.press('Escape');
  await expect(all(page)).toBeFocused();
  const before = await boxAt(all(page));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await boxAt(all(page))).x).toBe(before.x + 40);
  await page.keyboard.press('Enter');
  await expect(inspector(page).getByLabel('Text', { exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(all(page)).toBeFocused();
  await expect(page.getByRole('group', { name: 'Area: Rack 7' })).toHaveCount(1);
  await page.keyboard.press('Control+d');
  await expect(all(page)).toHaveCount(2);
  await page.keyboard.press('Delete');
  await expect(all(page)).toHaveCount(1);
});
