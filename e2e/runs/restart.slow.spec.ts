/** A run that restarts by itself, as a user sees it: chosen in the inspector, a rank killed, and everything said. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '../fixtures.ts';
import {
  choose,
  inspector,
  openExample,
  runExperiment,
  setField,
  smallRun,
  waitForState,
} from '../pages/lab-page.ts';
import { recordNotices } from '../pages/notices.ts';
import { chart, lastStep } from '../pages/runs-page.ts';
import { violations } from '../pages/rules.ts';

/** Kills rank 1 as the kernel does for lack of memory: at once. */
async function killRank1(dataFolder: string): Promise<void> {
  const files = await readdir(join(dataFolder, 'nodes'), { recursive: true });
  const file = files.find((path) => path.endsWith('rank-1/pid')) ?? '';
  const { pid } = JSON.parse(await readFile(join(dataFolder, 'nodes', file), 'utf8')) as { pid: number };
  expect(pid).toBeGreaterThan(1);
  process.kill(pid, 'SIGKILL');
}

test('a killed rank restarts the run and nothing is lost: cause, wait and notifications are shown', async ({
  page,
  app,
  dataFolder,
}, info) => {
  const reported = await recordNotices(page);
  await page.goto(app.url);
  await openExample(page);
  await smallRun(page, '40');
  // The default.
  await expect(inspector(page).getByRole('combobox', { name: 'When a rank is lost' })).toHaveValue(
    'Go on where it is possible',
  );
  await expect(inspector(page).getByText('the others train again within seconds')).toBeVisible();
  await choose(page, 'When a rank is lost', 'Stop at the last checkpoint');
  await expect(inspector(page).getByText('The run ends within seconds and names the cause')).toBeVisible();
  await choose(page, 'When a rank is lost', 'Restart all ranks from it');
  await expect(
    inspector(page).getByText('The ranks that are left save first, so that nothing is done again.', {
      exact: false,
    }),
  ).toBeVisible();
  await setField(page, 'Restarts within an hour, at most', '5');
  await setField(page, 'Also save a checkpoint every', '1');
  await inspector(page).getByRole('combobox', { name: 'When a rank is lost' }).scrollIntoViewIfNeeded();
  await page.screenshot({ path: info.outputPath('setting.png') });
  await runExperiment(page);
  await waitForState(page, 'running');
  await expect.poll(() => lastStep(page), { timeout: 90_000 }).toBeGreaterThan(2);
  await killRank1(dataFolder);
  // The first restart is immediate.
  await waitForState(page, '(recovering|preparing|starting)', 60_000);
  await page.screenshot({ path: info.outputPath('recovering.png') });
  await waitForState(page, 'running', 120_000);
  const summary = page.getByText('Restarted 1 time by itself; no work lost');
  await expect(summary).toBeVisible({ timeout: 60_000 });
  await summary.click();
  const restarts = page.getByRole('list', { name: 'Restarts, the newest first' }).getByRole('listitem');
  await expect(restarts).toHaveText(
    /attempt 1 ended after step \d+ .*SIGKILL.* restarted from step \d+ after .*; nothing lost$/,
  );
  // A bar for each node: the lost one, and the others, which waited for it.
  const bars = page.getByRole('list', { name: 'Nodes along the run’s time' });
  const lost = bars.locator('[data-kind="lost"]');
  await expect(lost).toHaveCount(1);
  await expect(lost).toHaveText(/^Lost · .*SIGKILL/);
  await expect(bars.locator('[data-kind="waiting"]')).toHaveCount(2);
  await bars.screenshot({ path: info.outputPath('bars.png') });
  await waitForState(page, 'finished', 180_000);
  const marks = chart(page, 'Loss').locator('[data-mark]');
  const texts = async (): Promise<string> =>
    (await marks.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))).join('\n');
  await expect.poll(texts).toMatch(/SIGKILL.* All ranks restart\./);
  await expect.poll(texts).toMatch(/Restarted from step \d+; no work lost/);
  await page.screenshot({ path: info.outputPath('finished.png') });
  expect(await violations(page)).toEqual([]);
  const said = await reported();
  expect(said[0]).toMatch(/^Ringlab: .+: N2 was lost: training restarts from step \d+\.$/);
  expect(said[1]).toMatch(/^Ringlab: .+: Training goes on from step \d+; nothing was lost\.$/);
  expect(said).toHaveLength(3);
});
