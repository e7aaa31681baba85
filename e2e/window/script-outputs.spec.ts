/** What an own script wrote beside its scalars: files with the best by a scalar, its progress, and what could not be read. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

test('the estimate of a script is what its last run took, and says what has changed since', async ({
  page,
  dataFolder,
}, info) => {
  const experiment = { script, runtime: { type: 'system' } } as const;
  const lab = storedLab(2);
  await storeRuns(dataFolder, { ...lab, experiment: { ...lab.experiment, ...experiment } }, [
    {
      name: 'measured',
      ranks: 2,
      experiment: { script: { ...script, arguments: '--lr 1' } },
      lines: () =>
        Array.from({ length: 9 }, (_, step) => ({ t: step / 4, kind: 'scalar', step, values: { loss: 1 } })),
    },
  ]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    const group = page.getByRole('group', { name: 'Estimated time of the script' });
    await group.getByRole('button', { name: 'About 250 ms per step, as in the last run' }).click();
    await expect(page.getByText('Its arguments were different from those of now.')).toBeVisible();
    await expect(page.getByText('The whole run', { exact: true })).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: info.outputPath('estimate.png') });
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

const seen = (rank: number, count: number, more: object) => ({
  rank,
  state: 'resting',
  quiet: 10,
  groups: [{ name: '0', count, ranks: [0, 1, 2] }],
  ...more,
});
const operation = { name: 'all_reduce', shape: [64], dtype: 'float32' };
const stack = [['train.py', 57, 'main']];
/** Rank 2 sleeps, and the others wait for it. */
const hanging: StoredRun = {
  name: 'hanging script',
  experiment: { script },
  ranks: 3,
  record: { state: 'stopped' },
  lines: (rank) => [
    { t: 1, kind: 'scalar', step: 1, values: { 'train/loss': 3 } },
    {
      t: 20,
      kind: 'collectives',
      collectives:
        rank === 2
          ? seen(2, 117, {
              stack,
              place: { file: 'train.py', line: 57, function: 'main', text: 'time.sleep(3600)' },
            })
          : seen(rank, 118, { operation, stack }),
    },
    ...(rank > 0
      ? []
      : [
          ...[0, 10, 20].map((step) => ({
            t: 5 + step / 10,
            kind: 'histogram',
            step,
            name: 'weights/layer1',
            low: -1 - step / 10,
            high: 1 + step / 10,
            counts: [1, 4, 9, 16, 9, 4, 1],
          })),
          {
            t: 6,
            kind: 'picture',
            step: 10,
            name: 'samples',
            format: 'png',
            width: 8,
            height: 8,
            file: 'runs/events.out.tfevents.1',
            offset: 100,
            length: 200,
          },
        ]),
  ],
};

/** As if it had been fetched before. */
async function keepPicture(dataFolder: string, runId: string): Promise<void> {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const folder = join(dataFolder, 'runs', runId, 'artifacts', 'pictures');
  await mkdir(folder, { recursive: true });
  // The number of its line among the rank's.
  await writeFile(join(folder, 'rank-0-5.png'), Buffer.from(png, 'base64'));
}

for (const [language, colours] of [
  ['en-US', 'light'],
  ['zh-CN', 'dark'],
] as const)
  test(`a script that hangs: the rank that missed a collective, histograms and pictures (${language}, ${colours})`, async ({
    browser,
    dataFolder,
  }, info) => {
    const [runId = ''] = await storeRuns(dataFolder, storedLab(3), [hanging]);
    const isKept = language === 'en-US';
    if (isKept) await keepPicture(dataFolder, runId);
    const app = await startApp(dataFolder);
    const page = await pageOf(browser, language, colours);
    try {
      await page.goto(app.url);
      await page.getByRole('button', { name: language === 'en-US' ? 'Fill the window' : '铺满窗口' }).click();
      const waits = page.locator('[data-wait="missing"]');
      await expect(waits).toContainText(
        language === 'en-US'
          ? 'Not entered by rank 2: all_reduce (64 float32)'
          : 'rank 2 尚未进入 all_reduce (64 float32)',
      );
      await expect(waits).toContainText('train.py:57 main: time.sleep(3600)');
      await expect(waits.getByRole('row')).toHaveCount(4);
      await expect(waits.locator('[data-mark="missed"]')).toHaveCount(1);
      await expect(waits.locator('[data-mark="waits"]')).toHaveCount(2);
      const strip = page.getByRole('img', { name: /weights\/layer1/ });
      await expect(strip).toBeVisible();
      // The stored run's node has no such folder: a picture that was not fetched before says so.
      const thumbnail = isKept
        ? page.getByRole('img', { name: 'samples, step 10' })
        : page.getByText('未能获取');
      await thumbnail.scrollIntoViewIfNeeded();
      await expect(thumbnail).toBeVisible();
      expect(await violations(page)).toEqual([]);
      await page.screenshot({ path: info.outputPath(`hanging-${language}.png`) });
    } finally {
      await page.context().close();
      await app.stop();
    }
  });
