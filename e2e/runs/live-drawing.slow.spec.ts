/** What a run shows on the canvas, and how its end is reported: the ring of a busy node, the bottleneck, notifications. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startApp } from '../app-process.ts';
import { expect, test } from '../fixtures.ts';
import {
  choose,
  link,
  nodeCard,
  openExample,
  runExperiment,
  setField,
  smallRun,
  threeLocalNodes,
  waitForState,
} from '../pages/lab-page.ts';
import { recordNotices } from '../pages/notices.ts';

test('during a run each card has a ring and the bottleneck a mark; the end is reported', async ({
  page,
  app,
}, info) => {
  const reported = await recordNotices(page);
  await page.goto(app.url);
  await openExample(page);
  // The run continues until it is stopped, so that slow checks do not miss it.
  await smallRun(page, '2000');
  // What `auto` takes hides behind computing: no link would be the bottleneck.
  await choose(page, 'Synchronisation', 'All-reduce');
  await link(page, 'N2', 'N3').click();
  await setField(page, 'Bandwidth', '2');
  await expect(page.getByRole('group', { name: /^Link N2 – N3, 2 Mbps · bottleneck/ })).toHaveCount(1);
  await runExperiment(page);
  await waitForState(page, 'running');
  for (const name of ['N1', 'N2', 'N3']) {
    const ring = nodeCard(page, name).locator('[data-share]');
    // Without a GPU the ring shows the utilisation of the node's CPUs.
    await expect.poll(async () => Number(await ring.getAttribute('data-share'))).toBeGreaterThan(2);
    await expect(nodeCard(page, name).getByRole('img', { name: /CPU \d/ })).toBeVisible();
    await expect(nodeCard(page, name).getByRole('progressbar', { name: 'Progress' })).toBeVisible();
  }
  // The remaining time.
  await expect(page.getByText(/\d+ (s|min|h) left/).first()).toBeVisible();
  await page.screenshot({ path: info.outputPath('running.png') });
  expect(await reported()).toEqual([]);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await waitForState(page, 'stopped');
  await expect.poll(reported).toHaveLength(1);
  expect((await reported())[0]).toMatch(/^Ringlab: .+: The run has stopped\.$/);
  await expect(page.locator('[data-share]')).toHaveCount(0);
});

test('the folder of a node opens in this computer’s file manager', async ({ page, dataFolder }) => {
  // A fake of the desktop's notification program: it records the notifications.
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
    await threeLocalNodes(page);
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
