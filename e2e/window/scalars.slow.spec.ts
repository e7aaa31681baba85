/** The scalars of an own script as charts: groups, search, pinned cards, axes, ranks; only what is seen is loaded. */
import type { Locator, Page } from '@playwright/test';
import { expect, pageOf, test } from '../fixtures.ts';
import { startApp } from '../app-process.ts';
import { violations } from '../pages/rules.ts';
import { chart } from '../pages/runs-page.ts';
import { storedLab, storeRuns, type StoredRun } from '../stored-runs.ts';

const script = { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: '' } as const;
const steps = 120;
const many = 300;

/** What a collector writes of a script: values of rank 0 and 1, validations with epochs, many norms, and times alone. */
function lines(rank: number): { t: number; kind: string }[] {
  const found: ({ t: number; kind: string } & Record<string, unknown>)[] = [];
  const scalar = (t: number, values: Record<string, number>, place: object): void => {
    found.push({ kind: 'scalar', t, from: 'tensorboard', values, ...place });
  };
  for (let step = 0; step < steps; step += 1) {
    const loss = 2 * Math.exp(-step / 40) + 0.1 * rank;
    scalar(step, { 'train/loss': loss }, { step: step * 10, epoch: Math.floor(step / 40) });
    if (rank > 0) continue;
    scalar(step, { lr: 0.1 }, { step: step * 10 });
    scalar(step + 0.5, { 'system/gpu temperature': 40 + step / 10 }, {});
    if (step % 40 === 39) scalar(step, { 'val/top1': 50 + step / 4 }, { step: step * 10, epoch: step / 40 });
  }
  if (rank === 0) {
    for (const step of [0, 500, 1190]) {
      const norms = Object.fromEntries(
        Array.from({ length: many }, (_, n) => [`norms/layer${n}`, n + step / 1e4]),
      );
      scalar(step / 10, norms, { step });
    }
  }
  return found.sort((a, b) => a.t - b.t);
}

const scripted: StoredRun = { name: 'own script', experiment: { script }, ranks: 2, lines };
const group = (page: Page, name: string): Locator => page.locator(`[data-scalar-group="${name}"]`);
const headings = (within: Locator): Locator => within.locator('figure[data-chart] h3');
const loaded = (page: Page): Locator => page.locator('[data-scalar] figure[data-chart]');

/** Cards are loaded near the visible part. */
async function scrolledTo(page: Page, name: string): Promise<Locator> {
  await page.locator(`[data-scalar="${name}"]`).scrollIntoViewIfNeeded();
  await expect(chart(page, name)).toBeVisible();
  return chart(page, name);
}

async function openScalars(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'Fill the window' }).click();
  await expect(chart(page, 'train/loss')).toBeVisible();
}
const axis = (page: Page, name: string): Promise<void> =>
  page.getByRole('radiogroup', { name: 'Horizontal axis' }).getByText(name, { exact: true }).click();

test('a script’s scalars are charts in groups, found by name, and only what is seen is loaded', async ({
  page,
  dataFolder,
}, info) => {
  await storeRuns(dataFolder, storedLab(2), [scripted]);
  const app = await startApp(dataFolder);
  try {
    await openScalars(page, app.url);
    // None of the trainer's own charts, which a script has not.
    await expect(chart(page, 'Loss')).toHaveCount(0);
    await expect(page.locator('[data-scalar-group]')).toHaveCount(5);
    await expect(headings(group(page, 'Without a group'))).toHaveText(['lr']);
    const loss = chart(page, 'train/loss');
    await expect(loss).toHaveAttribute('data-points', String(2 * steps));
    await expect(loss.locator('button[data-legend]')).toHaveText([/Rank 0 · N1/, /Rank 1 · N2/]);
    // One rank has it: its value, and no legend.
    await expect(chart(page, 'lr').locator('button[data-legend]')).toHaveCount(0);
    await expect(chart(page, 'lr')).toHaveAttribute('aria-label', /0\.1/);
    expect(await loaded(page).count()).toBeLessThan(60);
    await page.screenshot({ path: info.outputPath('groups.png') });

    const find = page.getByRole('textbox', { name: 'Find scalars' });
    await find.fill('layer299 NORMS');
    await expect(headings(page.locator('[aria-label="Scalars"]'))).toHaveText(['norms/layer299']);
    await expect(page.getByRole('status').filter({ hasText: `1 of ${many + 4}` })).toBeVisible();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect(loss).toBeVisible();

    // By keyboard: a collapsed group stays so, for this lab.
    expect(await page.locator('[data-scalar]').count()).toBe(many + 4);
    const norms = group(page, 'norms').getByRole('button', { name: /^norms/ });
    await norms.focus();
    await page.keyboard.press('Enter');
    await expect(norms).toHaveAttribute('aria-expanded', 'false');
    await expect(headings(group(page, 'norms'))).toHaveCount(0);
    await (await scrolledTo(page, 'val/top1')).getByRole('button', { name: 'Put val/top1 on top' }).click();
    await expect(group(page, 'Pinned').locator('[data-scalar]')).toHaveAttribute('data-scalar', 'val/top1');
    await page.reload();
    await page.getByRole('button', { name: 'Fill the window' }).click();
    await expect(headings(group(page, 'Pinned'))).toHaveText(['val/top1']);
    await expect(norms).toHaveAttribute('aria-expanded', 'false');
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: info.outputPath('pinned.png') });
  } finally {
    await app.stop();
  }
});

test('scalars lie along steps, epochs or time, as far as they have them', async ({ page, dataFolder }) => {
  await storeRuns(dataFolder, storedLab(2), [scripted]);
  const app = await startApp(dataFolder);
  try {
    await openScalars(page, app.url);
    const ends = async (name: string): Promise<number[]> => {
      const slider = (await scrolledTo(page, name)).getByRole('slider');
      return Promise.all(
        ['aria-valuemin', 'aria-valuemax'].map(async (of) => Number(await slider.getAttribute(of))),
      );
    };
    await axis(page, 'Step');
    await expect.poll(() => ends('train/loss')).toEqual([0, 1190]);
    // It has no steps: time, from the start of the run.
    await expect.poll(async () => (await ends('system/gpu temperature')).map(Math.round)).toEqual([1, 120]);
    await axis(page, 'Epoch');
    await expect.poll(() => ends('train/loss')).toEqual([0, 2]);
    await expect.poll(() => ends('lr')).toEqual([0, 1190]);
    await axis(page, 'Time');
    await expect.poll(async () => (await ends('train/loss')).map(Math.round)).toEqual([0, 119]);
    await page.getByRole('combobox', { name: 'Ranks shown' }).click();
    await page.getByRole('option', { name: 'Rank 1 · N2' }).click();
    await expect(page.locator('[data-scalar] figure')).toHaveCount(1);
    await expect(chart(page, 'train/loss')).toHaveAttribute('data-points', String(steps));
  } finally {
    await app.stop();
  }
});

test('scalars in Chinese on a dark page, one of them enlarged', async ({ browser, dataFolder }, info) => {
  await storeRuns(dataFolder, storedLab(2), [scripted]);
  const app = await startApp(dataFolder);
  const page = await pageOf(browser, 'zh-CN', 'dark');
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: '铺满窗口' }).click();
    await expect(page.getByRole('textbox', { name: '查找标量' })).toBeVisible();
    await expect(chart(page, 'train/loss')).toHaveAttribute('data-points', String(2 * steps));
    await page.screenshot({ path: info.outputPath('dark-zh.png') });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: '放大train/loss' }).click();
    await expect(page.locator('figure[data-chart]')).toHaveCount(1);
    await page.screenshot({ path: info.outputPath('enlarged.png') });
  } finally {
    await page.context().close();
    await app.stop();
  }
});
