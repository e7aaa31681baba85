/** The charts of a run, with the mouse: list, axes, smoothing, resolution, marks. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { startApp } from '../app-process.ts';
import { boxAt } from '../pages/lab-page.ts';
import { chart, dragAlong, exportChart, plotOf } from '../pages/runs-page.ts';
import { firstStart, storedLab, storedLoss, storeRuns } from '../stored-runs.ts';

const titles = ['Loss', 'Top-1', 'Top-5', 'Images/s', 'Step time', 'Sent per step', 'Learning rate'];

async function openCharts(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'Fill the window' }).click();
  await expect(chart(page, 'Loss')).toHaveAttribute('aria-busy', 'false');
}

const axis = (page: Page, name: 'Step' | 'Epoch' | 'Time'): Promise<void> =>
  page.getByRole('radiogroup', { name: 'Horizontal axis' }).getByText(name, { exact: true }).click();

/** The value that a chart's legend shows for a line. */
const legend = (figure: Locator, line: string): Locator =>
  figure.locator(`button[data-legend="${line}"] span`).last();

const pathOf = async (figure: Locator, part: string): Promise<string> =>
  (await figure.locator(`${part} path`).first().getAttribute('d')) ?? '';

/** The y of each point of a path, in pixels from the top. */
const heights = (path: string): number[] =>
  path
    .split(/[ML]/)
    .filter(Boolean)
    .map((pair) => Number(pair.split(',')[1]));

test('every chart is shown, over steps, epochs and time', async ({ page, dataFolder }, info) => {
  await storeRuns(dataFolder, storedLab(2), [{ name: 'seen', epochs: 3, stepsPerEpoch: 20 }]);
  const app = await startApp(dataFolder);
  try {
    await openCharts(page, app.url);
    expect(await page.locator('figure[data-chart] h3').allInnerTexts()).toEqual(titles);
    for (const title of titles)
      await expect
        .poll(async () => Number(await chart(page, title).getAttribute('data-points')))
        .toBeGreaterThan(0);
    const parts = chart(page, 'Step time');
    // 0.5 s: 0.02 for data, 0.3 for computing, of which a third overlaps with communication, the rest for communication.
    await expect(legend(parts, 'Data')).toHaveText('20 ms');
    await expect(legend(parts, 'Compute')).toHaveText('300 ms');
    await expect(legend(parts, 'Communication')).toHaveText('180 ms');
    await expect(legend(parts, 'Communication overlapped with computation')).toHaveText('100 ms');
    await expect(legend(chart(page, 'Top-1'), 'Validation')).toHaveText('60.0 %');
    await expect(legend(chart(page, 'Top-5'), 'Validation')).toHaveText('95.0 %');
    await expect(legend(chart(page, 'Images/s'), 'Rank 0 · N1')).toHaveText(/^\d+\/s$/);
    await expect(legend(chart(page, 'Sent per step'), 'Rank 0 · N1')).toHaveText('46 MB');
    await expect(legend(chart(page, 'Learning rate'), 'Learning rate')).toHaveText('0.02');

    // Step 30 is the middle of the second epoch, and ends after 15.5 s: the same point on each axis.
    const loss = chart(page, 'Loss');
    const slider = loss.getByRole('slider');
    const value = storedLoss(30, 60, 0, 0);
    for (const [name, highest, place] of [
      ['Step', 60, 30],
      ['Epoch', 3, 1.5],
      ['Time', 30.1, 15.5],
    ] as const) {
      await axis(page, name);
      await expect
        .poll(async () => Number(await slider.getAttribute('aria-valuemax')))
        .toBeCloseTo(highest, 1);
      const low = Number(await slider.getAttribute('aria-valuemin'));
      const plot = await plotOf(loss);
      await page.mouse.move(...plot.at((place - low) / (highest - low)));
      await expect(legend(loss, 'Rank 0 · N1')).toHaveText(String(Number(value.toPrecision(4))));
      const reported = Number(await slider.getAttribute('aria-valuenow'));
      expect(Math.abs(reported - place)).toBeLessThan((highest - low) / 60 / 2);
      await page.screenshot({ path: info.outputPath(`by-${name.toLowerCase()}.png`) });
    }
  } finally {
    await app.stop();
  }
});

test('a logarithmic scale, and smoothing with the raw curve behind', async ({ page, dataFolder }, info) => {
  // Three decades with equal numbers of steps, and an oscillation that smoothing removes.
  const decades = (step: number): number => 10 ** (1 - (3 * step) / 59) * (1 + (step % 2 === 0 ? 0.2 : -0.2));
  await storeRuns(dataFolder, storedLab(1), [{ name: 'decades', lossAt: decades }]);
  const app = await startApp(dataFolder);
  try {
    await openCharts(page, app.url);
    const loss = chart(page, 'Loss');
    const line = '[data-line="rank-0/step/loss"]';
    const raw = '[data-raw="rank-0/step/loss"]';
    /** A curve's roughness: its second differences. */
    const swing = (path: string): number =>
      heights(path).reduce((sum, y, i, ys) => sum + Math.abs(y - 2 * (ys[i - 1] ?? y) + (ys[i - 2] ?? y)), 0);
    const smoothed = await pathOf(loss, line);
    const behind = await pathOf(loss, raw);
    expect(swing(behind)).toBeGreaterThan(1.2 * swing(smoothed));
    const strength = page.getByRole('slider', { name: 'Strength of smoothing' });
    const box = await boxAt(strength);
    await page.mouse.click(box.x + box.width - 6, box.y + box.height / 2);
    await expect.poll(async () => swing(await pathOf(loss, line))).toBeLessThan(swing(smoothed) / 2);
    expect(await pathOf(loss, raw)).toBe(behind);
    await page.screenshot({ path: info.outputPath('smoothed.png') });
    await page.getByRole('switch', { name: 'Smoothing' }).click();
    await expect(loss.locator(raw)).toHaveCount(0);
    expect(await pathOf(loss, line)).toBe(behind);

    // On a linear axis it sags; on a logarithmic one all decades have the same height.
    const sag = (path: string): number => {
      const ys = heights(path).filter((_, i) => i % 2 === 0);
      const [first = 0, middle = 0, last = 0] = [ys[0], ys[Math.floor(ys.length / 2)], ys.at(-1)];
      return (middle - (first + last) / 2) / (last - first);
    };
    expect(sag(await pathOf(loss, line))).toBeGreaterThan(0.4);
    await page.getByRole('switch', { name: 'Log scale for loss' }).click();
    await expect.poll(async () => Math.abs(sag(await pathOf(loss, line)))).toBeLessThan(0.03);
    for (const tick of ['10', '1', '0.1', '0.01'])
      await expect(
        loss.locator('svg g[text-anchor="end"] text').getByText(tick, { exact: true }),
      ).toBeVisible();
    await page.screenshot({ path: info.outputPath('logarithmic.png') });
  } finally {
    await app.stop();
  }
});

test('one outlier among 50,000 steps is visible, and a zoom shows the steps around it', async ({
  page,
  dataFolder,
}, info) => {
  const wild = 31_337;
  const lossAt = (step: number): number => (step === wild ? 9 : 2 + (step % 10) / 100);
  await storeRuns(dataFolder, storedLab(1), [
    { name: 'long', epochs: 50, stepsPerEpoch: 1000, secondsPerStep: 0.01, lossAt },
  ]);
  const app = await startApp(dataFolder);
  try {
    await openCharts(page, app.url);
    await axis(page, 'Step');
    const loss = chart(page, 'Loss');
    await page.getByRole('button', { name: 'Enlarge Loss' }).click();
    await page.getByRole('switch', { name: 'Smoothing' }).click();
    const line = '[data-line="rank-0/step/loss"]';
    const drawn = async (): Promise<number[]> => heights(await pathOf(loss, line));
    const plot = await plotOf(loss);
    await expect.poll(async () => (await drawn()).length).toBeGreaterThan(100);
    expect((await drawn()).length).toBeLessThanOrEqual(plot.width);
    // The peak is far above all other values.
    const ys = (await drawn()).sort((a, b) => a - b);
    expect((ys[1] ?? 0) - (ys[0] ?? 0)).toBeGreaterThan(plot.height / 2);
    // A pixel covers forty steps: the cursor shows the peak where it is drawn.
    const [x, y] = plot.at(wild / 50_000);
    const reported: string[] = [];
    for (let pixel = -3; pixel <= 3; pixel += 1) {
      await page.mouse.move(x + pixel, y);
      reported.push(await legend(loss, 'Rank 0 · N1').innerText());
    }
    expect(reported).toContain('9');
    await page.screenshot({ path: info.outputPath('whole.png') });

    const around = async (): Promise<number[][]> =>
      (await readFile(await exportChart(page, loss, 'Loss', 'Points (CSV)', info), 'utf8'))
        .trim()
        .split('\r\n')
        .slice(1)
        .map((row) => row.split(',').map(Number))
        .filter(([step = 0]) => Math.abs(step - wild) <= 50);
    // The file has every step, though the chart draws 5,000 points.
    expect((await around()).length).toBe(101);
    // Zooms twice around the peak: some two hundred steps are left.
    for (let times = 0; times < 2; times += 1) {
      const slider = loss.getByRole('slider');
      const low = Number(await slider.getAttribute('aria-valuemin'));
      const high = Number(await slider.getAttribute('aria-valuemax'));
      const share = (wild - low) / (high - low);
      await dragAlong(page, plot, share - 0.03, share + 0.03);
      await expect.poll(async () => Number(await slider.getAttribute('aria-valuemax'))).toBeLessThan(high);
    }
    await expect.poll(async () => (await around()).length).toBe(101);
    for (const [step = 0, value] of await around()) expect(value).toBe(lossAt(step));
    expect((await drawn()).length).toBeLessThanOrEqual(plot.width);
    await page.screenshot({ path: info.outputPath('around.png') });
    await page.getByRole('button', { name: 'Reset zoom' }).click();
    await expect(loss.getByRole('slider')).toHaveAttribute('aria-valuemin', '0');
  } finally {
    await app.stop();
  }
});

test('a zoom between two validations shows the line that leads from one to the next', async ({
  page,
  dataFolder,
}, info) => {
  await storeRuns(dataFolder, storedLab(1), [{ name: 'few', epochs: 3, stepsPerEpoch: 20 }]);
  const app = await startApp(dataFolder);
  try {
    await openCharts(page, app.url);
    await axis(page, 'Step');
    const top1 = chart(page, 'Top-1');
    const slider = top1.getByRole('slider');
    const plot = await plotOf(top1);
    // Validations are stored at steps 20, 40 and 60.
    await dragAlong(page, plot, 25 / 60, 35 / 60);
    await expect.poll(async () => Number(await slider.getAttribute('aria-valuemax'))).toBeLessThan(39);
    expect(Number(await slider.getAttribute('aria-valuemin'))).toBeGreaterThan(21);
    const path = async (): Promise<string> => await pathOf(top1, '[data-line="rank-0/eval/top1"]');
    // Across the whole plot, whose area clips it.
    const xs = async (): Promise<number[]> =>
      (await path()).split(/[ML]/).filter(Boolean).map(Number.parseFloat);
    await expect.poll(async () => (await xs()).length).toBe(2);
    const [from = 0, to = 0] = await xs();
    expect(from).toBeLessThan(56);
    expect(to).toBeGreaterThan(56 + plot.width);
    await expect(top1.getByText('No points in this range.')).toHaveCount(0);
    await expect(legend(top1, 'Validation')).toHaveText('');
    await page.screenshot({ path: info.outputPath('between.png') });
  } finally {
    await app.stop();
  }
});

test('events are marked at their step, each kind by its own icon', async ({ page, dataFolder }, info) => {
  await storeRuns(dataFolder, storedLab(2), [
    {
      name: 'eventful',
      epochs: 6,
      bestEpoch: 4,
      resumedAt: 66,
      record: {
        events: [
          { t: firstStart + 3, kind: 'link', what: 'N1 – N2: 100 Mbps → 10 Mbps' },
          { t: firstStart + 13, kind: 'lost', what: 'N2' },
          { t: firstStart + 17, kind: 'back', what: 'N2' },
          { t: firstStart + 22, kind: 'disk', what: 'N1' },
        ],
      },
    },
  ]);
  const app = await startApp(dataFolder);
  try {
    await openCharts(page, app.url);
    await axis(page, 'Step');
    await page.getByRole('button', { name: 'Enlarge Loss' }).click();
    const loss = chart(page, 'Loss');
    const mark = (kind: string): Locator => loss.locator(`[data-mark="${kind}"]`);
    const named = async (kind: string): Promise<(string | null)[]> =>
      Promise.all((await mark(kind).all()).map((one) => one.getAttribute('aria-label')));
    expect(await named('best')).toEqual([1, 2, 3, 4].map((epoch) => `Best so far, after epoch ${epoch}`));
    expect(await named('checkpoint')).toEqual([5, 6].map((epoch) => `Checkpoint after epoch ${epoch}`));
    expect(await named('resume')).toEqual(['Training resumed here']);
    expect(await named('link')).toEqual(['Link N1 – N2: 100 Mbps → 10 Mbps']);
    expect(await named('lost')).toEqual(['N2 is unreachable']);
    expect(await named('back')).toEqual(['N2 is reachable again']);
    expect(await named('disk')).toEqual(['N1: little space left on its disk']);
    // Their positions: half a second for each step, so the link changed at step 6 and training resumed at 66.
    const place = async (kind: string): Promise<number> => {
      const box = await boxAt(mark(kind).first());
      const plot = await plotOf(loss);
      return (120 * (box.x + box.width / 2 - plot.left)) / plot.width;
    };
    expect(await place('link')).toBeCloseTo(6, -0.5);
    expect(await place('lost')).toBeCloseTo(26, -0.5);
    expect(await place('resume')).toBeCloseTo(66, -0.5);
    await mark('link').hover();
    await expect(mark('link')).toHaveAttribute('title', 'Link N1 – N2: 100 Mbps → 10 Mbps');
    await page.screenshot({ path: info.outputPath('events.png') });
    await page.getByRole('switch', { name: 'Events' }).click();
    await expect(loss.locator('[data-mark]')).toHaveCount(0);
  } finally {
    await app.stop();
  }
});
