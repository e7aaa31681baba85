/** Mouse actions on the canvas. */
import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import { atRest, boxAt, nodeCard, type Box } from './lab-page.ts';

export const cards = (page: Page): Locator => page.locator('.react-flow__node');
export const links = (page: Page): Locator => page.locator('.react-flow__edge');

/** A card's position, once all animations have ended. */
export const boxOf = (page: Page, name: string): Promise<Box> => boxAt(nodeCard(page, name));

/** Drags a card by its head, without releasing it. */
export async function drag(page: Page, name: string, by: { x: number; y: number }): Promise<void> {
  const { x, y } = await boxOf(page, name);
  await page.mouse.move(x + 60, y + 20);
  await page.mouse.down();
  await page.mouse.move(x + 60 + by.x / 2, y + 20 + by.y / 2, { steps: 4 });
  await page.mouse.move(x + 60 + by.x, y + 20 + by.y, { steps: 4 });
}

/** Runs a command, or opens a node, lab or run, from the command palette (Ctrl+K). */
export async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const search = page.getByRole('textbox', { name: 'Search commands, nodes, labs and runs' });
  await search.fill(name);
  await page.keyboard.press('Enter');
  // Until it has closed it receives the keys.
  await expect(search).toBeHidden();
}

/** Chooses an entry of the open context menu. */
export async function chooseHere(page: Page, entry: string): Promise<void> {
  const item = page.getByRole('menuitem', { name: new RegExp(`^${entry}`) });
  await item.waitFor();
  await atRest(page);
  await item.click();
  await expect(page.getByRole('menu')).toHaveCount(0);
}

/**
 * Chooses an entry of a submenu of the lab's menu. A submenu is drawn above its menu for a frame before it has its place: a click then
 * meets the menu and closes the submenu, so that it has to be opened again.
 */
async function chooseInLabMenu(page: Page, submenu: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: 'Lab menu' }).click();
  await expect(async () => {
    await page.getByRole('menuitem', { name: submenu, exact: true }).hover({ timeout: 5_000 });
    await atRest(page);
    await page.getByRole('menuitem', { name: entry, exact: true }).click({ timeout: 5_000 });
  }).toPass({ timeout: 30_000 });
  await expect(page.getByRole('menu')).toHaveCount(0);
}

/** Inserts a template into the open lab, from the lab's menu. */
export const insertTemplate = (page: Page, name: string): Promise<void> =>
  chooseInLabMenu(page, 'Templates', name);

/** The canvas's zoom after all animations: 1 if a document pixel is a screen pixel. */
export async function zoomOf(page: Page): Promise<number> {
  await atRest(page);
  return page
    .locator('.react-flow__viewport')
    .evaluate((viewport) => new DOMMatrix(getComputedStyle(viewport).transform).a);
}

/** Exports the lab by an entry of the lab's menu, as a download of the browser. */
export async function exportAs(page: Page, entry: string, path: string): Promise<Buffer> {
  const coming = page.waitForEvent('download');
  await chooseInLabMenu(page, 'Export', entry);
  await (await coming).saveAs(path);
  return readFile(path);
}
