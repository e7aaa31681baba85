/** What a run shows on the drawing, and who is told of its end: the ring of a busy node, the bottleneck, notifications. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startSshd, type Sshd } from '../src/main/ssh/testing/sshd.ts';
import { startTcpProxy } from '../src/main/ssh/testing/tcp-proxy.ts';
import { startApp } from './app-process.ts';
import { expect, test } from './fixtures.ts';
import {
  choose,
  drawNode,
  inspector,
  labMenu,
  link,
  newLab,
  nodeCard,
  openExample,
  runExperiment,
  setField,
  showPage,
  waitForState,
} from './pages/lab-page.ts';

/** Records what the page would put on the desktop, as a page that is behind another window does. */
async function recordNotices(page: Page): Promise<() => Promise<string[]>> {
  await page.context().grantPermissions(['notifications']);
  await page.addInitScript(() => {
    const told: string[] = [];
    Object.defineProperty(document, 'hidden', { get: () => true });
    const Real = window.Notification;
    window.Notification = class extends Real {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        told.push(`${title}: ${options?.body ?? ''}`);
      }
    };
    Object.assign(window, { told });
  });
  return () => page.evaluate(() => (window as unknown as { told: string[] }).told);
}

async function smallRun(page: Page, epochs: string): Promise<void> {
  await showPage(page, 'Experiment');
  await choose(page, 'Architecture', 'squeezenet1_1');
  for (const [name, value] of [
    ['Epochs', epochs],
    ['Training images', '84'],
    ['Validation images', '21'],
    ['Batch size', '21'],
  ] as const)
    await setField(page, name, value);
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
}

test('while a run lives each card has its ring, the slowest link its mark, and its end is told', async ({
  page,
  app,
}, info) => {
  const told = await recordNotices(page);
  await page.goto(app.url);
  await openExample(page);
  await smallRun(page, '8');
  await link(page, 'N2', 'N3').click();
  await setField(page, 'Bandwidth', '2');
  await expect(page.getByRole('group', { name: /^Link N2 – N3, 2 Mbps · bottleneck/ })).toHaveCount(1);
  await runExperiment(page);
  await waitForState(page, 'running');
  for (const name of ['N1', 'N2', 'N3']) {
    const ring = nodeCard(page, name).locator('[data-share]');
    // Without a GPU it is filled as the node's processors are busy.
    await expect.poll(async () => Number(await ring.getAttribute('data-share'))).toBeGreaterThan(2);
    await expect(nodeCard(page, name).getByRole('img', { name: /CPU \d/ })).toBeVisible();
    await expect(nodeCard(page, name).getByRole('progressbar', { name: 'Progress' })).toBeVisible();
  }
  // How long it will take yet.
  await expect(page.getByText(/\d+ (s|min) left/).first()).toBeVisible();
  await page.screenshot({ path: info.outputPath('running.png') });
  expect(await told()).toEqual([]);
  await waitForState(page, 'finished');
  await expect.poll(told).toHaveLength(1);
  expect((await told())[0]).toMatch(/^Ringlab: .+: The run has finished\.$/);
  await expect(page.locator('[data-share]')).toHaveCount(0);
});

async function overSsh(page: Page, sshd: Sshd, port: number): Promise<void> {
  await nodeCard(page, 'N1').click();
  await inspector(page).getByText('SSH', { exact: true }).click();
  await setField(page, 'SSH host', sshd.host);
  await setField(page, 'SSH port', String(port));
  await setField(page, 'SSH user', sshd.user);
  await choose(page, 'Log in with', 'Key file');
  await setField(page, 'Key file', sshd.keyFile);
}

test('a lost node is told by its name', async ({ page, app }) => {
  const told = await recordNotices(page);
  const sshd = await startSshd();
  const cable = await startTcpProxy(sshd.port);
  try {
    await page.goto(app.url);
    await newLab(page);
    await drawNode(page, 'CPU node', { x: 0.4, y: 0.3 });
    await overSsh(page, sshd, cable.port);
    await smallRun(page, '400');
    await runExperiment(page);
    await page
      .getByRole('dialog', { name: 'Trust this machine?' })
      .getByRole('button', { name: 'Trust' })
      .click();
    await waitForState(page, 'running');
    // Cut, and whoever tries again hears nothing: a cable that is merely pulled is noticed within 45 s.
    cable.freeze();
    cable.reset();
    await waitForState(page, 'waiting', 60_000);
    await expect.poll(told).toHaveLength(1);
    expect((await told())[0]).toMatch(/^Ringlab: .+: Out of reach: N1\. The run goes on\.$/);
    cable.thaw();
    // Those that were let in meanwhile never hear of it.
    cable.reset();
    await waitForState(page, 'running', 60_000);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await waitForState(page, 'stopped', 60_000);
    await expect.poll(told).toHaveLength(2);
  } finally {
    await cable.stop();
    await sshd.stop();
  }
});

test('the folder of a node opens in the program that this computer has for folders', async ({
  page,
  dataFolder,
}) => {
  // A stand-in for the desktop's own program: it writes down what it was asked to show.
  const bin = join(dataFolder, 'bin');
  const asked = join(dataFolder, 'asked');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$1" >> '${asked}'\n`);
  await chmod(join(bin, 'xdg-open'), 0o755);
  const { PATH, DISPLAY } = process.env;
  Object.assign(process.env, { PATH: `${bin}:${PATH ?? ''}`, DISPLAY: DISPLAY ?? ':0' });
  const app = await startApp(join(dataFolder, 'data'));
  process.env.PATH = PATH;
  if (DISPLAY === undefined) delete process.env.DISPLAY;
  try {
    await page.goto(app.url);
    await labMenu(page, 'Three local nodes');
    await nodeCard(page, 'N2').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open its folder', exact: true }).click();
    await expect
      .poll(() => readFile(asked, 'utf8').catch(() => ''))
      .toMatch(/\/nodes\/[^/]+\/[^/]+\/home\n$/);
    expect((await readFile(asked, 'utf8')).startsWith(dataFolder)).toBe(true);
    await expect(page.getByRole('alert')).toHaveCount(0);
  } finally {
    await app.stop();
  }
});
