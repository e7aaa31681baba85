/** Emulated links: their traffic is shown, an edit changes them at once, one that is down is named, and nodes that are cut off come back. */
import type { Page } from '@playwright/test';
import { expect, test } from '../../fixtures.ts';
import {
  choose,
  inspector,
  link,
  nodeCard,
  openExample,
  runExperiment,
  runState,
  setField,
  showPage,
  waitForState,
} from '../../pages/lab-page.ts';
import { chooseHere } from '../../pages/canvas-page.ts';
import { lastStep } from '../../pages/runs-page.ts';

test.use({ network: 'on' });

/** The example's three links. */
const ends = [
  ['N1', 'N2'],
  ['N2', 'N3'],
  ['N3', 'N1'],
] as const;

/** Mbps that cross the link in its busier direction, as the canvas shows it; 0 if it shows nothing. */
async function crossing(page: Page, a: string, b: string): Promise<number> {
  const label = await link(page, a, b).textContent();
  const [, right, left] = /→ ([\d.]+) ← ([\d.]+) Mbps/.exec(label ?? '') ?? [];
  return Math.max(Number(right ?? 0), Number(left ?? 0));
}

/** The example with a small network and few images over 60 Mbps, and these choices of the experiment. */
async function drawn(
  page: Page,
  url: string,
  epochs: number,
  choices: Readonly<Record<string, string>>,
): Promise<void> {
  await page.goto(url);
  await openExample(page);
  await showPage(page, 'Experiment');
  await choose(page, 'Architecture', 'squeezenet1_1');
  for (const [label, choice] of Object.entries(choices)) await choose(page, label, choice);
  for (const [name, value] of [
    ['Epochs', String(epochs)],
    ['Training images', '84'],
    ['Validation images', '21'],
    ['Batch size', '21'],
  ] as const)
    await setField(page, name, value);
  for (const [a, b] of ends) {
    await link(page, a, b).click();
    await setField(page, 'Bandwidth', '60');
  }
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
}

test('throughput on the canvas, a link edited during a run, a link down and up again', async ({
  page,
  app,
}, info) => {
  test.skip(process.getuid?.() !== 0, 'namespaces need root');
  await drawn(page, app.url, 90, {
    Synchronisation: 'All-reduce',
    'When a rank is lost': 'Stop at the last checkpoint',
  });
  await runExperiment(page);
  await waitForState(page, 'running');

  await expect.poll(() => crossing(page, 'N1', 'N2'), { timeout: 30_000 }).toBeGreaterThan(20);
  expect(await crossing(page, 'N1', 'N2')).toBeLessThan(66);
  await link(page, 'N1', 'N2').click();
  await expect(inspector(page).getByText(/N2 → N1: measured [\d.]+ Mbps.* drawn 60 Mbps/)).toBeVisible();
  await page.screenshot({ path: info.outputPath('throughput.png') });

  await setField(page, 'Bandwidth', '4');
  await expect
    .poll(() => crossing(page, 'N1', 'N2'), { timeout: 10_000, intervals: [500] })
    .toBeLessThan(4.4);
  // The ring's other links wait for it.
  await expect.poll(() => crossing(page, 'N2', 'N3'), { timeout: 10_000 }).toBeLessThan(6);
  await expect.poll(() => crossing(page, 'N1', 'N2')).toBeGreaterThan(2);
  await setField(page, 'Bandwidth', '60');
  await expect.poll(() => crossing(page, 'N1', 'N2'), { timeout: 10_000 }).toBeGreaterThan(20);

  await expect.poll(() => lastStep(page), { timeout: 60_000 }).toBeGreaterThan(4);
  await inspector(page).getByRole('button', { name: 'Take the link down' }).click();
  await expect(page.getByRole('group', { name: /^Link N1 – N2, .*down/ })).toBeVisible({ timeout: 3000 });
  await waitForState(page, 'failed', 30_000);
  await expect(page.getByText('The link N1–N2 went down').first()).toBeVisible();
  await page.screenshot({ path: info.outputPath('down.png') });

  await inspector(page).getByRole('button', { name: 'Bring the link up' }).click();
  await expect(page.getByRole('group', { name: /^Link N1 – N2, .*down/ })).toBeHidden();
  await page.getByRole('button', { name: 'Resume' }).click();
  await waitForState(page, 'running');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(runState(page)).toContainText(/^\s*stopped/i, { timeout: 60_000 });
});

test('two cables are pulled at once: the others go on, and the node rejoins by itself once they are back', async ({
  page,
  app,
}, info) => {
  test.skip(process.getuid?.() !== 0, 'namespaces need root');
  await drawn(page, app.url, 400, {
    'When a rank is lost': 'Go on with the others',
    'When a link goes down': 'Take another way',
  });
  await runExperiment(page);
  await waitForState(page, 'running');
  await expect.poll(() => lastStep(page), { timeout: 90_000 }).toBeGreaterThan(4);

  // One alone cuts off nobody.
  await link(page, 'N1', 'N2').click({ button: 'right' });
  await chooseHere(page, 'Take the link down');
  await expect(page.getByRole('group', { name: /^Link N1 – N2, .*down/ })).toBeVisible();
  const alone = await lastStep(page);
  await expect.poll(() => lastStep(page), { timeout: 60_000 }).toBeGreaterThan(alone + 20);
  await expect(page.getByText('Without N')).toHaveCount(0);
  await link(page, 'N1', 'N2').click({ button: 'right' });
  await chooseHere(page, 'Bring the link up');
  await expect(page.getByRole('group', { name: /^Link N1 – N2, .*down/ })).toHaveCount(0);

  await link(page, 'N2', 'N3').click();
  await link(page, 'N3', 'N1').click({ modifiers: ['Shift'] });
  await link(page, 'N3', 'N1').click({ button: 'right' });
  await chooseHere(page, 'Take the link down');
  const missing = page.getByText('Without N3: training goes on with 2 of 3 ranks');
  await expect(missing).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('Rejoins by itself once the links N2–N3, N3–N1 are up')).toBeVisible({
    timeout: 60_000,
  });
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(nodeCard(page, 'N3')).toContainText('Waiting');
  await page.screenshot({ path: info.outputPath('two-cables.png') });
  const before = await lastStep(page);
  await expect.poll(() => lastStep(page), { timeout: 60_000 }).toBeGreaterThan(before + 5);

  await link(page, 'N3', 'N1').click({ button: 'right' });
  await chooseHere(page, 'Bring the link up');
  await expect(missing).toBeHidden({ timeout: 120_000 });
  await waitForState(page, 'running', 120_000);
  const again = await lastStep(page);
  await expect.poll(() => lastStep(page), { timeout: 90_000 }).toBeGreaterThan(again + 5);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(runState(page)).toContainText(/^\s*stopped/i, { timeout: 60_000 });
});
