/** Drawing with the mouse: copies, groups, layouts, menus, the command palette. One app for all. */
import { boxOf, cards, chooseHere, command, drag, links } from '../pages/canvas-page.ts';
import {
  atRest,
  boxAt,
  canvas,
  inspector,
  link,
  newLab,
  nodeCard,
  threeLocalNodes,
} from '../pages/lab-page.ts';
import { violations } from '../pages/rules.ts';
import { expect, test } from '../shared-app.ts';

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

test.beforeEach(async ({ page, app }) => {
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Lab menu' }).waitFor();
});

test('copy, cut and paste with their links, also into another lab', async ({ page }) => {
  await threeLocalNodes(page);
  await nodeCard(page, 'N1').click();
  await nodeCard(page, 'N2').click({ modifiers: ['Shift'] });
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Control+v');
  await expect(cards(page)).toHaveCount(5);
  await expect(links(page)).toHaveCount(4);
  await page.keyboard.press('Control+x');
  await expect(cards(page)).toHaveCount(3);
  await newLab(page);
  await canvas(page).click({ position: { x: 300, y: 60 } });
  await page.keyboard.press('Control+v');
  await expect(cards(page)).toHaveCount(2);
  await expect(links(page)).toHaveCount(1);
  await page.keyboard.press('Control+z');
  await expect(cards(page)).toHaveCount(0);
});

test('a rectangle selects, Shift adds, and an edit applies to all of them', async ({ page }) => {
  await newLab(page);
  for (let count = 0; count < 3; count += 1) {
    await page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: 'CPU node' }).click();
  }
  await expect(cards(page)).toHaveCount(3);
  await command(page, 'Lay out as a chain');
  const frameN1AndN2 = async (): Promise<void> => {
    const [first, last] = [await boxOf(page, 'N1'), await boxOf(page, 'N2')];
    await page.keyboard.down('Shift');
    await page.mouse.move(Math.min(first.x, last.x) - 15, first.y - 30);
    await page.mouse.down();
    await page.mouse.move(Math.max(first.x, last.x) + 40, first.y + 120, { steps: 8 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
  };
  await frameN1AndN2();
  await expect(inspector(page).getByText('All selected nodes')).toBeVisible();
  await page.keyboard.press('Control+a');
  await expect(inspector(page).getByText('3 nodes, 0 links')).toBeVisible();
  const cpus = inspector(page).getByLabel('CPUs', { exact: true });
  const before = await cpus.inputValue();
  await cpus.fill('16');
  await cpus.press('Tab');
  // The field of several nodes shows a number that all of them have.
  await canvas(page).click({ position: { x: 20, y: 20 } });
  await page.keyboard.press('Control+a');
  await expect(cpus).toHaveValue('16');
  await canvas(page).click({ position: { x: 20, y: 20 } });
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+a');
  await expect(cpus).toHaveValue(before);
  // The rectangle touches N1 before N2: N3, outside of it, is in N1's group.
  await canvas(page).click({ position: { x: 20, y: 20 } });
  await nodeCard(page, 'N1').click();
  await nodeCard(page, 'N3').click({ modifiers: ['Shift'] });
  await page.keyboard.press('Control+g');
  await canvas(page).click({ position: { x: 20, y: 20 } });
  await frameN1AndN2();
  await expect(inspector(page).getByText('3 nodes, 0 links')).toBeVisible();
});

test('a group moves as one, a locked node stays, and a drag snaps to guides', async ({ page }, info) => {
  await threeLocalNodes(page);
  await nodeCard(page, 'N1').click();
  await nodeCard(page, 'N2').click({ modifiers: ['Shift'] });
  await page.keyboard.press('Control+g');
  await expect(canvas(page).getByText('Group 1')).toBeVisible();
  await canvas(page).click({ position: { x: 20, y: 20 } });
  const before = {
    one: await boxOf(page, 'N1'),
    two: await boxOf(page, 'N2'),
    three: await boxOf(page, 'N3'),
  };
  await drag(page, 'N1', { x: 0, y: 60 });
  await page.screenshot({ path: info.outputPath('dragging.png') });
  await page.mouse.up();
  const after = {
    one: await boxOf(page, 'N1'),
    two: await boxOf(page, 'N2'),
    three: await boxOf(page, 'N3'),
  };
  expect(after.one.y - before.one.y).toBeGreaterThan(30);
  expect(after.two.y - before.two.y).toBeCloseTo(after.one.y - before.one.y, 0);
  expect(after.three.y).toBe(before.three.y);
  await page.keyboard.press('Control+z');
  await expect.poll(async () => (await boxOf(page, 'N2')).y).toBeCloseTo(before.two.y, 0);

  await nodeCard(page, 'N3').click({ button: 'right' });
  await page.screenshot({ path: info.outputPath('menu.png') });
  await chooseHere(page, 'Lock in place');
  await drag(page, 'N3', { x: 80, y: 40 });
  await page.mouse.up();
  expect((await boxOf(page, 'N3')).x).toBeCloseTo(before.three.x, 0);
  await nodeCard(page, 'N3').click();
  await page.keyboard.press('Delete');
  await expect(page.getByText('1 locked item was not deleted. Unlock it first.')).toBeVisible();

  // N3 alone is not in the group: the guides show where it is level with N2.
  await command(page, 'Unlock');
  await expect(page.getByRole('checkbox', { name: 'Locked in place' })).not.toBeChecked();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await drag(page, 'N3', { x: -100, y: 5 });
  await expect(page.locator('[data-guide="y"]').first()).toBeVisible();
  await page.screenshot({ path: info.outputPath('guides.png') });
  await page.mouse.up();
  await expect(page.locator('[data-guide]')).toHaveCount(0);
  expect((await boxOf(page, 'N3')).x).toBeLessThan(before.three.x - 50);
  expect((await boxOf(page, 'N3')).y).toBeCloseTo((await boxOf(page, 'N2')).y, 0);
});

test('every layout, and the menus of the canvas and of a node', async ({ page }) => {
  await newLab(page);
  const cpu = page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: 'CPU node' });
  for (let count = 0; count < 6; count += 1) await cpu.click();
  const places = async (): Promise<string> =>
    (await cards(page).evaluateAll((all) => all.map((one) => (one as HTMLElement).style.transform))).join();
  let last = await places();
  for (const kind of ['a chain', 'a ring', 'a star', 'a grid']) {
    await canvas(page).click({ button: 'right', position: { x: 12, y: 12 } });
    await chooseHere(page, `Lay out as ${kind}`);
    await expect.poll(places).not.toBe(last);
    last = await places();
  }
  await command(page, 'Lay out in layers');
  await expect.poll(places).not.toBe(last);
  // From the keyboard the menu opens at the card.
  await nodeCard(page, 'N4').focus();
  last = await places();
  await page.keyboard.press('Shift+F10');
  // A key pressed before the menu has the focus does not move a node either.
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem').first()).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('[role="menu"]') instanceof Element))
    .toBe(true);
  expect(await places()).toBe(last);
  await page.keyboard.press('Escape');
  await nodeCard(page, 'N4').click({ button: 'right' });
  await chooseHere(page, 'Delete');
  await expect(cards(page)).toHaveCount(5);
  // After a menu that was closed, keys apply to the drawing as before it.
  await nodeCard(page, 'N5').click({ button: 'right' });
  await expect(page.getByRole('menuitem').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await page.keyboard.press('Delete');
  await expect(cards(page)).toHaveCount(4);
  // At every position the whole menu is inside the window, and the window does not scroll.
  for (const height of [800, 360]) {
    await page.setViewportSize({ width: 1280, height });
    await command(page, 'Show everything');
    await nodeCard(page, 'N3').click({ button: 'right' });
    const menu = page.getByRole('menu');
    await expect
      .poll(async () => {
        const { y = -1, height: tall = 0 } = (await menu.boundingBox()) ?? {};
        return y >= 0 && y + tall <= height;
      })
      .toBe(true);
    await page.getByRole('menuitem', { name: /^Delete/ }).scrollIntoViewIfNeeded();
    expect(await page.evaluate(() => [scrollY, document.body.scrollTop])).toEqual([0, 0]);
    await page.keyboard.press('Escape');
  }
});

test('Ctrl+K finds a node and a command, and zooms there', async ({ page }, info) => {
  await newLab(page);
  const cpu = page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: 'CPU node' });
  for (let count = 0; count < 6; count += 1) await cpu.click();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('textbox', { name: 'Search commands, nodes, labs and runs' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('[data-action][data-selected]')).toContainText('Ctrl+Z');
  await atRest(page);
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: info.outputPath('palette.png') });
  await page.keyboard.press('Escape');
  await command(page, 'N5');
  await expect(nodeCard(page, 'N5')).toHaveClass(/selected/);
  await expect.poll(async () => (await boxOf(page, 'N5')).width).toBeGreaterThan(220);
  await page.keyboard.press('Shift+1');
  await expect.poll(async () => (await boxOf(page, 'N5')).width).toBeLessThan(200);
  await command(page, 'Dark theme');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await command(page, 'Light theme');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
});

test('keys apply to the drawing after a click on it, and a drag selects no text of the page', async ({
  page,
}) => {
  await threeLocalNodes(page);
  const picked = () => page.evaluate(() => getSelection()?.toString() ?? '');
  const ground = { position: { x: 20, y: 20 } };
  const summary = inspector(page).getByText('3 nodes, 3 links');
  await page.getByRole('textbox', { name: 'Name of the lab' }).click();
  await canvas(page).click(ground);
  await expect(canvas(page)).toBeFocused();
  await page.keyboard.press('Control+a');
  await expect(summary).toBeVisible();
  expect(await picked()).toBe('');
  // A drag over labels, from the palette across the drawing.
  const from = await boxAt(page.getByRole('region', { name: 'Palette' }).getByRole('heading').first());
  await page.mouse.move(from.x + 4, from.y + 4);
  await page.mouse.down();
  await page.mouse.move(from.x + 600, from.y + 300, { steps: 5 });
  await page.mouse.up();
  expect(await picked()).toBe('');

  // After a click on a link: its keys, a rectangle with Shift, copy and paste.
  await link(page, 'N1', 'N2').click();
  await page.keyboard.press('Control+c');
  await expect(page.getByText('A link is copied together with the nodes')).toBeVisible();
  const boxes = await Promise.all(['N1', 'N2', 'N3'].map((name) => boxOf(page, name)));
  const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))];
  const right = Math.max(...boxes.map(({ x, width }) => x + width));
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
  await page.keyboard.down('Shift');
  await page.mouse.move(left - 14, top - 14);
  await page.mouse.down();
  await page.mouse.move(right + 8, bottom + 8, { steps: 8 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(summary).toBeVisible();
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Control+v');
  await expect(cards(page)).toHaveCount(6);
  await page.keyboard.press('Delete');
  await expect(cards(page)).toHaveCount(3);
  // What had the focus is gone: the keys still apply.
  await page.keyboard.press('Control+a');
  await expect(summary).toBeVisible();
  // In a field, Ctrl+A selects its text.
  await page.getByRole('textbox', { name: 'Name of the lab' }).click();
  await page.keyboard.press('Control+a');
  expect(await picked()).toMatch(/^Three local nodes( \d+)?$/);
});
