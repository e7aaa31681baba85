/** Features of the whole window: tour, help, settings, import and export, a crash. One app for all. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { cards, exportAs, insertTemplate } from '../pages/canvas-page.ts';
import {
  importLab,
  inspector,
  labMenu,
  newLab,
  nodeCard,
  setField,
  threeLocalNodes,
} from '../pages/lab-page.ts';
import { expect, test } from '../shared-app.ts';

test.beforeEach(async ({ page, app }) => {
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Run experiment' }).waitFor();
});

const download = async (page: Page, entry: string, path: string): Promise<string> =>
  (await exportAs(page, entry, path)).toString('latin1');

test('the tour has four steps, by mouse and by arrow key, and is offered once', async ({ page }, info) => {
  await page.getByRole('button', { name: 'Take the tour' }).click();
  const step = page.getByRole('dialog', { name: /^Step \d of 4/ });
  await expect(step).toContainText('Draw machines');
  await page.screenshot({ path: info.outputPath('tour-1.png') });
  await step.getByRole('button', { name: 'Next' }).click();
  await expect(step).toContainText('Link them');
  await page.keyboard.press('ArrowRight');
  await expect(step).toContainText('Run the experiment');
  await page.screenshot({ path: info.outputPath('tour-3.png') });
  await step.getByRole('button', { name: 'Next' }).click();
  await step.getByRole('button', { name: 'Done' }).last().click();
  await expect(step).toBeHidden();
  await page.reload();
  await page.getByRole('button', { name: 'Run experiment' }).waitFor();
  await expect(page.getByRole('button', { name: 'Take the tour' })).toHaveCount(0);
});

test('settings are on one page, and the help lists every key', async ({ page }, info) => {
  await page.keyboard.press('Control+,');
  const settings = page.getByRole('dialog', { name: 'Settings' });
  await expect(settings).toContainText('Passwords are kept in');
  await expect(settings.getByRole('region', { name: 'This computer' })).toContainText(/\d/);
  await page.screenshot({ path: info.outputPath('settings.png') });
  await settings.getByText('Dark', { exact: true }).click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await settings.getByText('简体中文', { exact: true }).click();
  await expect(page.getByRole('dialog', { name: '设置' })).toBeVisible();
  await page.screenshot({ path: info.outputPath('settings-zh-dark.png') });
  await page.getByText('English', { exact: true }).click();
  await settings.getByText('Light', { exact: true }).click();
  await settings.getByRole('switch', { name: 'Notifications' }).click({ force: true });
  await page.keyboard.press('Escape');
  await page.keyboard.press('F1');
  await expect(page.getByRole('dialog', { name: 'Help' })).toContainText('Ctrl+Shift+Z');
  await page.screenshot({ path: info.outputPath('help.png') });
  await page.keyboard.press('Escape');
});

test('a template is exported as picture, containerlab and inventory, and imported again', async ({
  page,
}, info) => {
  await newLab(page);
  await insertTemplate(page, 'Two sites over a slow link');
  await expect(cards(page)).toHaveCount(4);
  await expect(page.getByText(/^20 Mbps · 30 ms/)).toBeVisible();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await page.screenshot({ path: info.outputPath('sites.png') });
  const png = await download(page, 'Export as PNG picture', info.outputPath('sites-export.png'));
  expect(png.slice(1, 4)).toBe('PNG');
  expect(png.length).toBeGreaterThan(5000);
  expect(await download(page, 'Export as SVG picture', info.outputPath('sites.svg'))).toContain('Site A');
  const inventory = await download(page, 'Export as Ansible inventory', info.outputPath('inventory.yml'));
  expect(inventory).toContain('Site_B');
  const file = info.outputPath('sites.clab.yml');
  expect(await download(page, 'Export as containerlab YAML', file)).toContain('endpoints');
  await importLab(page, file);
  await expect(page.getByRole('textbox', { name: 'Name of the lab' })).toHaveValue(/^New-lab/);
  await expect(cards(page)).toHaveCount(4);
  await expect(page.getByText(/^20 Mbps · 30 ms/)).toBeVisible();
});

test('hosts of the SSH configuration become nodes', async ({ page, home }, info) => {
  await writeFile(
    join(home, '.ssh', 'config'),
    'Host gpu1 gpu2\n  HostName %h.example\n  User ada\n  ProxyJump bastion\nHost bastion\n  HostName 10.0.0.1\nMatch exec "touch /tmp/never"\n  User eve\n',
  );
  await newLab(page);
  await labMenu(page, 'Add hosts from ~/.ssh/config…');
  const dialog = page.getByRole('dialog', { name: 'Hosts from your SSH configuration' });
  await expect(dialog).toContainText('a Match section was left out');
  await dialog.getByRole('checkbox', { name: 'gpu1' }).click();
  await dialog.getByRole('checkbox', { name: 'gpu2' }).click();
  await page.screenshot({ path: info.outputPath('ssh-hosts.png') });
  await dialog.getByRole('button', { name: 'Add 2 nodes' }).click();
  await expect(cards(page)).toHaveCount(2);
  await nodeCard(page, 'gpu2').click();
  await expect(inspector(page).getByLabel('SSH host', { exact: true })).toHaveValue('gpu2.example');
  await expect(inspector(page).getByLabel('Jump host', { exact: true })).toHaveValue('10.0.0.1');
});

test('a node’s menu: its SSH command, and its server stopped and started again', async ({ page }) => {
  await threeLocalNodes(page);
  const choose = async (entry: string): Promise<void> => {
    await nodeCard(page, 'N1').click({ button: 'right' });
    await page.getByRole('menuitem', { name: entry, exact: true }).click();
  };
  await choose('Copy the SSH command');
  await expect(page.getByText(/^ssh -i \S+app_key .* ringlab@127\.0\.0\.1$/)).toBeVisible();
  // The notification covers no button of the window.
  const covered = await page.evaluate(() =>
    [...document.querySelectorAll('header button, section button, aside button')]
      .filter((button) => {
        const box = button.getBoundingClientRect();
        const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return hit?.closest('.mantine-Notification-root') !== null && hit !== null;
      })
      .map((button) => button.getAttribute('aria-label') ?? button.textContent),
  );
  expect(covered).toEqual([]);
  await choose('Test connection');
  await expect(inspector(page).getByText('Debian').first()).toBeVisible({ timeout: 30_000 });
  await choose('Stop and disconnect');
  // A local node is this computer.
  await nodeCard(page, 'N1').click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Stop and disconnect' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: /^Reboot/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await choose('Test connection');
  await expect(inspector(page).getByRole('button', { name: 'Test connection' })).toBeEnabled();
  await expect(page.getByRole('alert').filter({ hasNotText: 'ssh -i' })).toHaveCount(0);
});

test('a crash of the window loses nothing, not even the last edits', async ({ page, app }) => {
  await newLab(page);
  await page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: 'CPU node' }).click();
  await expect(cards(page)).toHaveCount(1);
  await setField(page, 'Name', 'Lyon');
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  // Main is unreachable, so that the next edit cannot be saved, and the page's process crashes.
  await page.evaluate(() => {
    WebSocket.prototype.send = () => undefined;
  });
  await page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: 'CPU node' }).click();
  await expect(cards(page)).toHaveCount(2);
  await page.waitForTimeout(150);
  const cdp = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  // It is never answered, since its page has crashed.
  void cdp.send('Page.crash').catch(() => undefined);
  await crashed;
  const again = await page.context().newPage();
  await again.goto(app.url);
  await expect(cards(again)).toHaveCount(2);
  await expect(nodeCard(again, 'Lyon')).toBeVisible();
  await expect(again.getByText('Saved', { exact: true })).toBeVisible();
});
