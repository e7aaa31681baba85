/** Terminals on nodes: typing, and reconnecting after a lost connection. */
import { startSshd } from '../../src/main/ssh/testing/sshd.ts';
import { expect, test } from '../fixtures.ts';
import {
  boxAt,
  drawNode,
  inspector,
  newLab,
  nodeCard,
  openExample,
  selectNode,
  setField,
} from '../pages/lab-page.ts';
import type { Page } from '@playwright/test';

const screen = (page: Page, node: string) => page.getByRole('tabpanel', { name: `Terminal on ${node}` });
/** The screen's text, as screen readers get it. */
const shows = (page: Page, node: string, text: string | RegExp): Promise<void> =>
  expect(screen(page, node).locator('.xterm-accessibility-tree')).toContainText(text);

async function openOn(page: Page, node: string): Promise<void> {
  await nodeCard(page, node).click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Open a terminal/ }).click();
  await expect(page.getByRole('tab', { name: `${node} connected` }).last()).toBeVisible();
}

test('two nodes, two tabs: type, resize, search, switch, end and start again', async ({
  page,
  app,
}, info) => {
  await page.goto(app.url);
  await openExample(page);
  await openOn(page, 'N1');
  await page.keyboard.type('echo "sum $((40+2))"; pwd\n');
  await shows(page, 'N1', 'sum 42');
  await openOn(page, 'N2');
  await page.keyboard.type('printf "%s %s\\n" N2 here; stty size\n');
  await shows(page, 'N2', /N2 here/);
  await page.screenshot({ path: info.outputPath('terminals.png') });

  // The first terminal's output is still there, and its shell is the same.
  await page.keyboard.press('F6');
  await page.keyboard.press('ArrowLeft');
  await shows(page, 'N1', 'sum 42');
  await page.getByRole('tab', { name: /^N1/ }).click();
  await expect(screen(page, 'N1').locator('textarea')).toBeFocused();
  await page.keyboard.type('echo "again $((6*7))"\n');
  await shows(page, 'N1', 'again 42');

  // The window is resized, and the shell is notified.
  await page.keyboard.type('stty size | cut -d" " -f2 > columns; cat columns\n');
  await page.setViewportSize({ width: 1600, height: 900 });
  await page.keyboard.type('clear; sleep 1; stty size | cut -d" " -f2 | xargs -I{} echo wide-{}\n');
  await shows(page, 'N1', /wide-1[2-9]\d/);

  await page.keyboard.press('Control+Shift+F');
  await page.getByRole('textbox', { name: 'Search in the terminal' }).fill('wide');
  await expect(page.locator('.xterm-selection div').first()).toBeAttached();
  await page.keyboard.press('Escape');

  // The runs keep their place beside the terminals.
  await page.getByRole('button', { name: 'Runs', exact: true }).first().click();
  await expect(screen(page, 'N1')).toBeHidden();
  await page.getByRole('button', { name: '2 terminals' }).click();
  await shows(page, 'N1', /wide-/);

  // Side by side, where the window has the width.
  const beside = page.getByRole('button', { name: 'Runs and terminals side by side' });
  await beside.click();
  await expect(page.getByRole('heading', { name: 'No run yet' })).toBeVisible();
  await shows(page, 'N1', /wide-/);
  await page.screenshot({ path: info.outputPath('side-by-side.png') });
  await page.setViewportSize({ width: 700, height: 700 });
  await expect(beside).toBeHidden();
  // Not only until the side panels lie over the canvas.
  await page.waitForTimeout(500);
  await expect(beside).toBeHidden();
  await shows(page, 'N1', /wide-/);
  await page.setViewportSize({ width: 1600, height: 900 });
  // The dock's own tooltip stands away from the buttons beside it.
  const hide = page.getByRole('button', { name: 'Hide the runs' });
  await hide.hover();
  const tip = page.getByRole('tooltip').filter({ hasText: 'Hide the runs' });
  await expect(tip).toBeVisible();
  const [tipBox, buttonBox] = [await boxAt(tip), await boxAt(hide)];
  expect(tipBox.y + tipBox.height).toBeLessThanOrEqual(buttonBox.y);
  // The palette has the same switch.
  await page.keyboard.press('Control+k');
  await page.getByLabel(/^Search commands/).fill('side by side');
  await page.keyboard.press('Enter');
  await expect(beside).toHaveAttribute('aria-pressed', 'false');
  await expect(page.getByRole('heading', { name: 'No run yet' })).toBeHidden();

  await screen(page, 'N1').click();
  await page.keyboard.type('exit 7\n');
  await shows(page, 'N1', 'The shell has ended with 7');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: 'N1 connected' })).toBeVisible();
  await page.keyboard.type('echo new-$((1+1))\n');
  await shows(page, 'N1', 'new-2');
  await page.getByRole('button', { name: 'Close the terminal on N1' }).click();
  await expect(page.getByRole('tab', { name: /^N1/ })).toHaveCount(0);
});

/** The position of the newest row with this text. */
async function rowWith(page: Page, node: string, text: string | RegExp) {
  const row = screen(page, node).locator('.xterm-rows > div').filter({ hasText: text }).last();
  const box = await row.boundingBox();
  if (box === null) throw new Error(`no row says ${String(text)}`);
  return { x: box.x, y: box.y + box.height / 2, width: box.width };
}

test('selected text is copied, several lines are pasted as one, and an address opens', async ({
  page,
  app,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(app.url);
  await openExample(page);
  await openOn(page, 'N1');
  await page.keyboard.type('clear; PS1="> "; printf "%s-%s\\n" marked words\n');
  await shows(page, 'N1', 'marked-words');
  const row = await rowWith(page, 'N1', 'marked-words');
  await page.mouse.move(row.x + 1, row.y);
  await page.mouse.down();
  await page.mouse.move(row.x + row.width * 0.5, row.y, { steps: 6 });
  await page.mouse.up();
  await page.keyboard.press('Control+Shift+c');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('marked-words');

  // If the shell supports bracketed paste, several pasted lines wait for Enter: none runs by itself.
  await page.evaluate(() => navigator.clipboard.writeText('echo one-$((1+0))\necho two-$((1+1))'));
  await page.keyboard.press('Control+Shift+v');
  await shows(page, 'N1', 'echo two-$((1+1))');
  await expect(screen(page, 'N1').locator('.xterm-accessibility-tree')).not.toContainText('one-1');
  await page.keyboard.press('Enter');
  await shows(page, 'N1', /one-1[^]*two-2/);

  await context.route('http://lab.example/**', (route) => route.fulfill({ body: 'a page of the lab' }));
  await page.keyboard.type('clear; echo http://lab.example/figures\n');
  // xterm searches a row for addresses when the pointer enters it, and shows a hand once it has found one. The row may be that
  // of the command, which `clear` removes: so its position is read again each time.
  let address = { x: 0, y: 0 };
  await expect(async () => {
    address = await rowWith(page, 'N1', /^http:\/\/lab\.example\/figures/);
    await page.mouse.move(address.x + 60, address.y + 60);
    await page.mouse.move(address.x + 60, address.y, { steps: 3 });
    await expect(screen(page, 'N1').locator('.xterm-cursor-pointer')).toBeVisible({ timeout: 1000 });
  }).toPass();
  const opened = context.waitForEvent('page');
  await page.mouse.click(address.x + 60, address.y);
  const other = await opened;
  await expect(other.getByText('a page of the lab')).toBeVisible();
  await other.close();
});

test('one command is typed into many nodes at once, except excluded ones', async ({ page, app }, info) => {
  await page.goto(app.url);
  await openExample(page);
  await nodeCard(page, 'N1').click();
  await nodeCard(page, 'N2').click({ modifiers: ['Shift'] });
  await nodeCard(page, 'N3').click({ modifiers: ['Shift'] });
  await nodeCard(page, 'N2').click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Open terminals on all selected nodes/ }).click();
  for (const node of ['N1', 'N2', 'N3']) {
    await expect(page.getByRole('tab', { name: `${node} connected` })).toBeVisible();
  }
  const into = page.getByRole('group', { name: 'Type into all open terminals' });
  await expect(into).toHaveCount(0);
  await page.getByRole('switch', { name: 'Type into all open terminals' }).click({ force: true });
  await expect(into).toContainText('What you type goes into:');
  await into.getByRole('checkbox', { name: 'N2' }).click();
  await page.keyboard.type('echo "all-$((40+2))" | tee told; stty size > /dev/null\n');
  await shows(page, 'N3', 'all-42');
  await page.screenshot({ path: info.outputPath('together.png') });
  await page.getByRole('tab', { name: /^N1/ }).click();
  await shows(page, 'N1', 'all-42');
  await page.getByRole('tab', { name: /^N2/ }).click();
  await expect(into).toContainText('What you type goes into N2 alone:');
  await page.keyboard.type('echo "alone-$((1+1))"\n');
  await shows(page, 'N2', 'alone-2');
  await expect(screen(page, 'N2').locator('.xterm-accessibility-tree')).not.toContainText('all-42');

  await page.getByRole('tab', { name: /^N1/ }).click();
  await expect(screen(page, 'N1').locator('.xterm-accessibility-tree')).not.toContainText('alone-2');
  await page.getByRole('switch', { name: 'Type into all open terminals' }).click({ force: true });
  await expect(into).toHaveCount(0);
  await page.keyboard.type('cat told; echo "one-$((2+2))"\n');
  await shows(page, 'N1', 'one-4');
  await page.getByRole('tab', { name: /^N3/ }).click();
  await expect(screen(page, 'N3').locator('.xterm-accessibility-tree')).not.toContainText('one-4');
});

test('a lost connection is shown, and reconnects automatically', async ({ page, app }) => {
  const sshd = await startSshd();
  try {
    await page.goto(app.url);
    await newLab(page);
    await drawNode(page, 'CPU node', { x: 0.4, y: 0.3 });
    await selectNode(page, 'N1');
    await inspector(page).getByText('SSH', { exact: true }).click();
    await setField(page, 'SSH host', sshd.host);
    await setField(page, 'SSH port', String(sshd.port));
    await setField(page, 'SSH user', sshd.user);
    await inspector(page).getByRole('combobox', { name: 'Log in with' }).click();
    await page.getByRole('option', { name: 'Key file' }).click();
    await setField(page, 'Key file', sshd.keyFile);
    await nodeCard(page, 'N1').click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Open a terminal/ }).click();
    await page
      .getByRole('dialog', { name: 'Trust this machine?' })
      .getByRole('button', { name: 'Trust' })
      .click();
    await expect(page.getByRole('tab', { name: 'N1 connected' })).toBeVisible();
    await screen(page, 'N1').click();
    await page.keyboard.type('echo first-$((1+1))\n');
    await shows(page, 'N1', 'first-2');

    sshd.dropConnections();
    await shows(page, 'N1', /Next try in \d+ s/);
    await expect(page.getByRole('tab', { name: 'N1 connected' })).toBeVisible();
    await page.keyboard.type('echo back-$((1+1))\n');
    await shows(page, 'N1', 'back-2');
    await shows(page, 'N1', 'first-2');
  } finally {
    await sshd.stop();
  }
});
