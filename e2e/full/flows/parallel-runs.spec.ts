/** The parallel-coordinates chart of a sweep: brushed with the mouse or the keys, its lines named, and marked in the table. */
import { expect, pageOf, test } from '../../fixtures.ts';
import { startApp } from '../../app-process.ts';
import { boxAt } from '../../pages/lab-page.ts';
import { violations } from '../../pages/rules.ts';
import { storedLab, storeRuns } from '../../stored-runs.ts';

test('a brush on an axis marks the runs that pass through it', async ({
  page,
  dataFolder,
  browser,
}, info) => {
  const sweep = [0.001, 0.01, 0.1].flatMap((learningRate) =>
    [24, 48, 96].map((batchSize) => ({
      name: `lr ${learningRate}, batch ${batchSize}`,
      experiment: { learningRate, batchSize },
      secondsPerStep: batchSize / 100,
    })),
  );
  await storeRuns(dataFolder, storedLab(1), sweep);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'All runs in a table' }).click();
    await page.getByRole('button', { name: 'Fill the window' }).click();
    await page.getByRole('switch', { name: 'Parallel coordinates' }).click();
    const lines = page.getByRole('region', { name: 'Parallel coordinates of the runs' });
    await expect(lines.locator('path[data-run]')).toHaveCount(9);
    const axes = lines.getByRole('slider');
    await expect(axes).toHaveCount(5);
    const axis = (name: string) => lines.getByRole('slider', { name: `Range of ${name}.` });
    const table = page.getByRole('table', { name: 'All runs' });
    const marked = (): Promise<string[]> => table.locator('tr[data-marked="true"] th').allInnerTexts();
    const drag = async (name: string, from: number, to: number): Promise<void> => {
      const box = await boxAt(axis(name));
      const y = (share: number): number => box.y + box.height - 6 - share * (box.height - 12);
      await page.mouse.move(box.x + box.width / 2, y(from));
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 2, y(to), { steps: 5 });
      await page.mouse.up();
    };
    // The three with the highest rate; of those the two that were not the slowest.
    await drag('Learning rate', 0.8, 1);
    await expect.poll(marked).toEqual(['lr 0.1, batch 96', 'lr 0.1, batch 48', 'lr 0.1, batch 24']);
    await expect(lines.locator('path[data-strong="true"]')).toHaveCount(3);
    await drag('Duration', 0, 0.6);
    await expect.poll(marked).toEqual(['lr 0.1, batch 48', 'lr 0.1, batch 24']);

    // The line under the pointer is named: that of batch 48 alone passes through the middle of its axis.
    const batch = await boxAt(axis('Batch size'));
    const rate = await boxAt(axis('Learning rate'));
    // Batch 24 with rate 0.001: flat along the bottom, from one axis to the next.
    await page.mouse.move((batch.x + rate.x) / 2 + 13, batch.y + batch.height - 6);
    await expect(lines.getByRole('status')).toContainText(
      'lr 0.001, batch 24: Batch size 24 · Learning rate 0.001',
    );
    await expect(lines.locator('path[data-pointed="true"]')).toHaveCount(1);
    await page.screenshot({ path: info.outputPath('brushed.png') });
    expect(await violations(page)).toEqual([]);

    // A click on an axis removes its brush; the keys remove and draw it too.
    await drag('Learning rate', 0.5, 0.5);
    await drag('Duration', 0.5, 0.5);
    await expect.poll(marked).toEqual([]);
    await axis('Best top-1').focus();
    for (let times = 0; times < 18; times += 1) await page.keyboard.press('ArrowUp');
    await expect(axis('Best top-1')).toHaveAttribute('aria-valuetext', '81.6 % to 84.0 %');
    await expect.poll(marked).toEqual(['lr 0.1, batch 24']);
    await page.keyboard.press('Escape');
    await expect.poll(marked).toEqual([]);

    // The brushed runs are added to the comparison.
    await drag('Learning rate', 0.8, 1);
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect(page.locator('figure[data-chart="loss"] g[data-line]')).toHaveCount(3);

    const dark = await pageOf(browser, 'zh-CN', 'dark');
    await dark.goto(app.url);
    await dark.getByRole('button', { name: '以表格显示所有运行' }).click();
    await dark.getByRole('button', { name: '铺满窗口' }).click();
    await dark.getByRole('switch', { name: '平行坐标' }).click();
    await expect(dark.locator('path[data-run]')).toHaveCount(9);
    await dark.screenshot({ path: info.outputPath('zh-dark.png') });
    await dark.context().close();
  } finally {
    await app.stop();
  }
});
