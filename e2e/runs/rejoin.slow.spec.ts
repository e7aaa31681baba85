/** A node is taken out of a run by its card's menu, the others train on, and it is taken in again from the run's view. */
import { expect, test } from '../fixtures.ts';
import {
  choose,
  drawNode,
  nodeCard,
  openExample,
  runExperiment,
  smallRun,
  waitForState,
} from '../pages/lab-page.ts';
import { recordNotices } from '../pages/notices.ts';
import { chart, lastStep } from '../pages/runs-page.ts';
import { violations } from '../pages/rules.ts';

test('a node leaves a run and comes back', async ({ page, app }, info) => {
  const reported = await recordNotices(page);
  await page.goto(app.url);
  await openExample(page);
  await smallRun(page, '400');
  await choose(page, 'When a rank is lost', 'Go on with the others');
  await choose(page, 'Batch of the ranks that go on', 'The global batch as before');
  await nodeCard(page, 'N3').click({ button: 'right' });
  // Nothing trains yet.
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Take out of the run' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await runExperiment(page);
  await waitForState(page, 'running');
  await expect.poll(() => lastStep(page), { timeout: 90_000 }).toBeGreaterThan(2);
  await nodeCard(page, 'N3').click({ button: 'right' });
  await page.screenshot({ path: info.outputPath('menu.png') });
  await page.getByRole('menuitem', { name: 'Take out of the run' }).click();
  const fewer = page.getByText('Without N3: training goes on with 2 of 3 ranks');
  await expect(fewer).toBeVisible({ timeout: 60_000 });
  await expect
    .poll(async () => (await reported()).at(-1))
    .toMatch(/^Ringlab: .+: N3 was lost: training goes on with 2 of 3 ranks\.$/);
  // A bar for each node: the others train on.
  await page.getByText('Nodes along the run’s time').click();
  const bars = page.getByRole('list', { name: 'Nodes along the run’s time' });
  await expect(bars.locator('[data-kind="absent"]')).toHaveText(/^Lost; the others trained on/);
  await page.screenshot({ path: info.outputPath('fewer.png') });
  const before = await lastStep(page);
  await expect.poll(() => lastStep(page), { timeout: 60_000 }).toBeGreaterThan(before);
  expect(await violations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Take them in again' }).click();
  await waitForState(page, '(recovering|preparing|starting)', 60_000);
  await page.screenshot({ path: info.outputPath('rejoining.png') });
  await waitForState(page, 'running', 120_000);
  await expect(fewer).toBeHidden();
  const n3 = bars.getByRole('list', { name: 'N3' }).getByRole('listitem');
  await expect
    .poll(() => n3.evaluateAll((all) => all.map((one) => one.dataset.kind)))
    .toEqual(['training', 'absent', 'training']);
  const again = await lastStep(page);
  await expect.poll(() => lastStep(page), { timeout: 60_000 }).toBeGreaterThan(again);
  const marks = chart(page, 'Loss').locator('[data-mark]');
  const texts = async (): Promise<string> =>
    (await marks.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))).join('\n');
  await expect.poll(texts).toMatch(/N3 was lost/);
  await expect.poll(texts).toMatch(/Training resumed here/);
  await expect(bars.locator('[data-kind="waiting"]')).toHaveCount(2);
  await page.screenshot({ path: info.outputPath('back.png') });
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await waitForState(page, 'stopped', 60_000);
});

test('a new node is drawn in mid-run and takes the place of a lost one', async ({ page, app }, info) => {
  await page.goto(app.url);
  await openExample(page);
  await smallRun(page, '400');
  await choose(page, 'When a rank is lost', 'Go on with the others');
  await runExperiment(page);
  await waitForState(page, 'running');
  await expect.poll(() => lastStep(page), { timeout: 90_000 }).toBeGreaterThan(2);
  const replace = page.getByRole('button', { name: 'Replace…' });
  await nodeCard(page, 'N2').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Take out of the run' }).click();
  await expect(page.getByText('Without N2: training goes on with 2 of 3 ranks')).toBeVisible({
    timeout: 60_000,
  });
  await expect(replace).toBeHidden();
  // Its last figures would look like work.
  await expect(nodeCard(page, 'N1').getByRole('img', { name: /CPU/ })).toBeVisible();
  await expect(nodeCard(page, 'N2').getByRole('img', { name: /CPU/ })).toHaveCount(0);
  await drawNode(page, 'CPU node', { x: 0.85, y: 0.75 });
  await expect(nodeCard(page, 'N4')).toBeVisible();
  await nodeCard(page, 'N2').click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Replace by a new node in the run' })).toBeVisible();
  await page.keyboard.press('Escape');
  await replace.click();
  await page.screenshot({ path: info.outputPath('replace.png') });
  await page.getByRole('menuitem', { name: 'N2 by N4' }).click();
  await waitForState(page, '(recovering|preparing|starting)', 120_000);
  await waitForState(page, 'running', 120_000);
  const again = await lastStep(page);
  await expect.poll(() => lastStep(page), { timeout: 60_000 }).toBeGreaterThan(again);
  await page.getByRole('tab', { name: 'Ranks' }).click();
  await expect(page.getByRole('table', { name: 'Ranks' })).toContainText('N4');
  await expect(page.getByRole('table', { name: 'Ranks' })).not.toContainText('N2');
  await page.screenshot({ path: info.outputPath('replaced.png') });
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await waitForState(page, 'stopped', 60_000);
});
