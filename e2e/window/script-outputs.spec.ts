/** What an own script wrote beside its scalars: files with the best by a scalar, its progress, and what could not be read. */
import { expect, pageOf, test } from '../fixtures.ts';
import { startApp } from '../app-process.ts';
import { violations } from '../pages/rules.ts';
import { firstStart, storedLab, storeRuns, type StoredRun } from '../stored-runs.ts';

const script = { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: '' } as const;

const lines = (rank: number): { t: number; kind: string }[] => {
  const of = (t: number, kind: string, fields: object) => ({ t, kind, ...fields });
  if (rank > 0) return [of(1, 'scalar', { step: 1, values: { 'train/loss': 9 } })];
  return [
    ...[3, 1, 2].flatMap((loss, n) => [
      of(10 * n + 1, 'scalar', { step: n, values: { 'train/loss': loss + 1, 'val/loss': loss } }),
      of(10 * n + 2, 'file', {
        path: `checkpoints/epoch-${n}.ckpt`,
        bytes: 1_000_000 * (n + 1),
        modified: firstStart + 10 * n + 2,
      }),
    ]),
    of(25, 'file', { path: '../../../etc/passwd', bytes: 1, modified: firstStart }),
    of(26, 'collect_problem', { file: 'runs/events.1', reason: 'a record has a wrong checksum' }),
    of(27, 'script_progress', { epoch: 2, epochs: 4, step: 30, steps: 60 }),
  ];
};
const scripted: StoredRun = { name: 'own script', experiment: { script }, ranks: 2, lines };

test('files of a script: the best by a scalar, progress, and what could not be read', async ({
  page,
  dataFolder,
}, info) => {
  await storeRuns(dataFolder, storedLab(2), [scripted]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Fill the window' }).click();
    const facts = page.getByRole('list', { name: 'Run own script' });
    await expect(facts.getByText('Epoch 2 of 4')).toBeVisible();
    await expect(facts.getByText('Step 30 of 60')).toBeVisible();
    await expect(facts.getByText('train/loss 3')).toBeVisible();
    await expect(page.getByRole('note')).toContainText(
      'Rank 0: runs/events.1: a record has a wrong checksum',
    );

    await page.getByRole('tab', { name: 'Checkpoints' }).click();
    const table = page.getByRole('table', { name: 'Files of the script' });
    // Newest first; the path that leads out of the run's folder is not listed.
    await expect(table.getByRole('rowheader')).toHaveText(
      [2, 1, 0].map((n) => `checkpoints/epoch-${n}.ckpt`),
    );
    await page.getByRole('combobox', { name: 'Scalar that ranks the files' }).click();
    await page.getByRole('option', { name: 'val/loss' }).click();
    const best = table.getByRole('row').filter({ has: page.getByText('best', { exact: true }) });
    await expect(best.getByRole('rowheader')).toContainText('epoch-1.ckpt');
    await page.getByText('the highest', { exact: true }).click();
    await expect(best.getByRole('rowheader')).toContainText('epoch-0.ckpt');
    await expect(table.getByRole('button', { name: 'Export checkpoints/epoch-1.ckpt' })).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: info.outputPath('files.png') });
  } finally {
    await app.stop();
  }
});

test('files of a script in Chinese on a dark page', async ({ browser, dataFolder }, info) => {
  await storeRuns(dataFolder, storedLab(2), [scripted]);
  const app = await startApp(dataFolder);
  const page = await pageOf(browser, 'zh-CN', 'dark');
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: '铺满窗口' }).click();
    await page.getByRole('tab', { name: '检查点' }).click();
    await expect(page.getByRole('table', { name: '脚本的文件' }).getByRole('rowheader')).toHaveCount(3);
    await expect(page.getByRole('note')).toContainText('runs/events.1');
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: info.outputPath('files-zh.png') });
  } finally {
    await page.context().close();
    await app.stop();
  }
});
