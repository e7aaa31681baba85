/** The utilisation of a run's machines, with the mouse: curves of one node, strips for all, and the run's own GPUs. */
import { expect, test } from '../fixtures.ts';
import { startApp } from '../app-process.ts';
import { violations } from '../pages/rules.ts';
import { runView } from '../pages/runs-page.ts';
import { storedLab, storeRuns } from '../stored-runs.ts';

test('each node has its curves, and of a machine’s GPUs only the run’s', async ({
  page,
  dataFolder,
}, info) => {
  await storeRuns(dataFolder, storedLab(2), [{ name: 'shared machine', gpus: 4, ownGpus: [1, 2] }]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Fill the window' }).click();
    await runView(page, 'Utilisation');
    const card = page.getByRole('article', { name: 'Utilisation of N1' });
    await expect(card).toContainText('GPU 1 · NVIDIA Test 4090');
    // Each quantity has its value, and a curve of more than one point.
    const row = (name: string) =>
      card.locator('div:has(> dt)').filter({ has: page.getByText(name, { exact: true }) });
    for (const [name, value] of [
      ['CPU', /^\d+\.\d %$/],
      ['Rank’s CPU', '1.8 of 8 cores'],
      ['Sent', '90 MB/s'],
      ['Received', '90 MB/s'],
      ['Utilisation', /^\d+\.\d %$/],
      ['Power', '310 W'],
      ['Temperature', '71 °C'],
      ['Clock', '2500 MHz'],
    ] as const) {
      await expect(row(name).locator('dd').first()).toHaveText(value);
      const curve = (await row(name).locator('svg path').first().getAttribute('d')) ?? '';
      expect([name, curve.split('L').length > 10]).toEqual([name, true]);
    }
    await expect(row('Memory').locator('dd')).toHaveText(['4 GB of 16 GB', '9 GB of 24 GB', '9 GB of 24 GB']);

    // Only other users use GPU 0 and 3: no strip, no curves, and named as such.
    const heat = page.getByRole('region', { name: 'Over the whole run' });
    await expect(heat.getByRole('img')).toHaveCount(4);
    await expect(heat.getByRole('group', { name: 'From 0.0 % to 100 %' })).toBeVisible();
    await expect(heat.getByRole('group', { name: 'Time since the run’s start' })).toBeVisible();
    for (const node of ['N1', 'N2'])
      for (const index of [1, 2])
        await expect(
          heat.getByRole('img', { name: new RegExp(`^${node} · GPU ${index}: now`) }),
        ).toBeVisible();
    for (const name of ['GPU memory', 'Temperature', 'Power', 'CPU', 'GPU use'] as const) {
      await heat.getByText(name, { exact: true }).click();
      await expect(heat.getByRole('img')).toHaveCount(name === 'CPU' ? 2 : 4);
      await expect(heat.getByRole('img', { name: /: now –/ })).toHaveCount(0);
    }
    await expect(card).not.toContainText('GPU 0 · NVIDIA Test 4090Utilisation');
    await expect(card.locator('dl').filter({ hasText: /^Not of this run/ })).toHaveText(
      'Not of this runGPU 0, GPU 3',
    );

    // The processes with their users: the heaviest first, or by the CPU's share.
    const processes = card.getByRole('table', { name: 'Processes on GPU 1' });
    await expect(processes.locator('tbody tr')).toHaveText([
      'rank 08 GB180 %',
      'another program, process 9982 GB–',
      'python3 of alice, process 9991 GB–',
    ]);
    await processes.getByRole('button', { name: 'CPU' }).click();
    await expect(processes.getByRole('columnheader', { name: 'CPU' })).toHaveAttribute(
      'aria-sort',
      'descending',
    );
    await page.screenshot({ path: info.outputPath('gpus-of-the-run.png') });
    expect(await violations(page)).toEqual([]);
  } finally {
    await app.stop();
  }
});
