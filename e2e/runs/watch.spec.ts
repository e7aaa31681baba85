/** 'Notify me when…': a limit set with the mouse, a real run that passes it, and the notification. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, pageOf, test } from '../fixtures.ts';
import { startApp } from '../app-process.ts';
import { violations } from '../pages/rules.ts';
import { runExperiment, waitForState } from '../pages/lab-page.ts';
import { chart } from '../pages/runs-page.ts';
import { RunRecord } from '../../src/shared/run/run.ts';
import { storedLab, storeRuns } from '../stored-runs.ts';

test('a value that passes its limit is reported once, and marked in the charts', async ({
  page,
  dataFolder,
  browser,
}, info) => {
  const lab = storedLab(1);
  const experiment = {
    ...lab.experiment,
    architecture: 'squeezenet1_1',
    epochs: 2,
    batchSize: 12,
    data: { type: 'shapes', train: 48, validation: 12, size: 32, seed: 1 } as const,
  };
  await storeRuns(dataFolder, { ...lab, experiment }, [{ name: 'before' }]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Notify me when…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Notify me when…' });
    const add = async (value: string, limit: string): Promise<void> => {
      await dialog.getByRole('combobox', { name: 'Value' }).click();
      await page.getByRole('option', { name: value, exact: true }).click();
      await dialog.getByRole('textbox', { name: 'Limit' }).fill(limit);
      await dialog.getByRole('button', { name: 'Add' }).click();
    };
    await add('Loss of a step', '0.001');
    await add('Validation top-1', '100');
    await add('Temperature of a GPU', '85');
    const listed = dialog.getByRole('listitem');
    await expect(listed).toHaveText([
      'Loss of a step ≥ 0.001',
      'Validation top-1 ≥ 100 %',
      'Temperature of a GPU ≥ 85 °C',
    ]);
    await page.screenshot({ path: info.outputPath('limits.png') });
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove: Temperature of a GPU ≥ 85 °C' }).click();
    await expect(listed).toHaveCount(2);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();

    await runExperiment(page);
    const reported = page.getByRole('alert').filter({ hasText: 'limit passed' });
    await expect(reported).toContainText(/Loss of a step ≥ 0\.001: \d/, { timeout: 120_000 });
    await waitForState(page, 'finished');
    const mark = chart(page, 'Loss').locator('[data-mark="passed"]');
    await expect(mark).toHaveCount(1);
    await expect(mark).toHaveAttribute('aria-label', /Limit passed: Loss of a step ≥ 0\.001: \d/);
    await page.screenshot({ path: info.outputPath('passed.png') });
    const [runId = ''] = (await readdir(join(dataFolder, 'runs'))).filter((id) => !id.startsWith('stored'));
    const record = RunRecord.parse(
      JSON.parse(await readFile(join(dataFolder, 'runs', runId, 'run.json'), 'utf8')),
    );
    expect(record.events?.map(({ kind }) => kind)).toEqual(['passed']);

    const dark = await pageOf(browser, 'zh-CN', 'dark');
    await dark.goto(app.url);
    await expect(dark.locator('figure[data-chart="loss"] [data-mark="passed"]')).toHaveAttribute(
      'aria-label',
      /达到限值：单步损失 ≥ 0\.001/,
    );
    await dark.getByRole('button', { name: '达到限值时通知我…' }).click();
    await expect(dark.getByRole('dialog').getByRole('listitem')).toHaveCount(2);
    await dark.screenshot({ path: info.outputPath('zh-dark.png') });
    await dark.context().close();
  } finally {
    await app.stop();
  }
});
