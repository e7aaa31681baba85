/** Small things that a user meets every day. */
import { writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { cards } from '../pages/canvas-page.ts';
import {
  atRest,
  boxAt,
  canvas,
  choose,
  inspector,
  labMenu,
  newLab,
  nodeCard,
  drawNode,
  selectNode,
  setField,
  threeLocalNodes,
} from '../pages/lab-page.ts';
import { expect, test } from '../shared-app.ts';

test.beforeEach(async ({ page, app }) => {
  await page.goto(app.url);
});

test('the drawing is in the middle again after a panel was closed', async ({ page }) => {
  await threeLocalNodes(page);
  const offset = async (): Promise<number> => {
    const ground = await boxAt(canvas(page));
    const boxes = await cards(page).evaluateAll((all) => all.map((card) => card.getBoundingClientRect()));
    const left = Math.min(...boxes.map((box) => box.left));
    const right = Math.max(...boxes.map((box) => box.right));
    return (left + right) / 2 - (ground.x + ground.width / 2);
  };
  await expect.poll(async () => Math.abs(await offset())).toBeLessThan(2);
  for (const keys of ['Control+Alt+b', 'Control+b', 'Control+Alt+b', 'Control+b']) {
    await canvas(page).focus();
    await page.keyboard.press(keys);
    await expect.poll(async () => Math.abs(await offset()), { message: keys }).toBeLessThan(2);
  }
  // A view that the user chose keeps its middle.
  await page.mouse.move(500, 300);
  await page.mouse.wheel(0, -200);
  await atRest(page);
  const chosen = await offset();
  await page.keyboard.press('Control+Alt+b');
  await expect.poll(async () => Math.abs((await offset()) - chosen)).toBeLessThan(2);
});

test('the lab’s menu fits a low window, and its submenus open beside it', async ({ page }) => {
  for (let labs = 0; labs < 12; labs += 1) await newLab(page);
  for (const height of [800, 600]) {
    await page.setViewportSize({ width: 1280, height });
    await page.getByRole('button', { name: 'Lab menu' }).click();
    const last = page.getByRole('menuitem', { name: 'Delete lab…' });
    const box = await boxAt(last);
    expect(box.y + box.height).toBeLessThan(height);
    for (const [title, entry] of [
      ['Templates', 'Two sites over a slow link'],
      ['Export', 'Export as SVG picture'],
    ] as const) {
      await page.getByRole('menuitem', { name: title, exact: true }).hover();
      const sub = await boxAt(page.getByRole('menuitem', { name: entry }));
      expect(sub.x, `${title} at ${height}`).toBeGreaterThan(box.x + box.width - 10);
      expect(sub.y + sub.height).toBeLessThan(height);
    }
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(last).toBeHidden();
  }
});

test('in a narrow window the estimate ends with an ellipsis, not in the middle of a letter', async ({
  page,
}) => {
  await threeLocalNodes(page);
  await page.setViewportSize({ width: 640, height: 360 });
  const label = page
    .getByRole('group', { name: 'Estimated time per step' })
    .locator('button span', { hasText: /per step/ })
    .last();
  await expect(label).toHaveCSS('text-overflow', 'ellipsis');
  await expect(label).not.toHaveCSS('display', /flex/);
});

test('an address is taken without the spaces that were copied with it, and alone', async ({ page }) => {
  await newLab(page);
  await drawNode(page, 'CPU node', { x: 0.4, y: 0.3 });
  await selectNode(page, 'N1');
  await inspector(page).getByText('SSH', { exact: true }).click();
  await choose(page, 'Log in with', 'Password');
  await setField(page, 'SSH host', '  192.0.2.10 ');
  await expect(inspector(page).getByLabel('SSH host', { exact: true })).toHaveValue('192.0.2.10');
  await setField(page, 'SSH host', 'root@192.0.2.10:22');
  await expect(inspector(page).getByText(/User and port have fields of their own/)).toBeVisible();
});

/** As from a file manager. */
async function dropFiles(page: Page, files: readonly string[]): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await client.send('Input.dispatchDragEvent', { type, x: 500, y: 300, data });
    if (type === 'dragOver') await expect(page.getByText('Drop a lab or containerlab file')).toBeVisible();
  }
}

test('a file that is dropped on the window is opened as a lab, and does not replace the page', async ({
  page,
}, info) => {
  await newLab(page);
  const [topology, script] = [info.outputPath('two.clab.yml'), info.outputPath('train.py')];
  const nodes = ['left', 'right'].map((name) => `    ${name}:\n      kind: linux\n`).join('');
  await writeFile(topology, `name: two\ntopology:\n  nodes:\n${nodes}`);
  await writeFile(script, 'print(1)\n');
  await dropFiles(page, [topology]);
  await expect(cards(page)).toHaveCount(2);
  await expect(page.getByText('Drop a lab or containerlab file')).toBeHidden();
  await dropFiles(page, [script]);
  await expect(page.getByText(/This is no file of a lab/)).toBeVisible();
  await expect(page.getByText('train.py', { exact: false }).first()).toBeVisible();
  await expect(cards(page)).toHaveCount(2);
});

test('a deleted lab is taken back by its notice, with its newest edit', async ({ page }) => {
  await threeLocalNodes(page);
  await selectNode(page, 'N2');
  await setField(page, 'Name', 'Lyon');
  await labMenu(page, 'Delete lab…');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete lab' }).click();
  await expect(cards(page)).toHaveCount(0);
  await page
    .getByRole('alert')
    .filter({ hasText: 'was deleted' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(cards(page)).toHaveCount(3);
  await expect(nodeCard(page, 'Lyon')).toBeVisible();
});
