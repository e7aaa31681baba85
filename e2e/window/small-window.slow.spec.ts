/** A small window, or a large one at a zoom of 200 %: every panel opens and closes, and nothing is cut off. */
import type { Locator, Page } from '@playwright/test';
import { startApp } from '../app-process.ts';
import { expect, test } from '../fixtures.ts';
import { command } from '../pages/canvas-page.ts';
import { canvas, inspector, nodeCard } from '../pages/lab-page.ts';
import { allReachable } from '../pages/reach.ts';
import { violations } from '../pages/rules.ts';
import { storedLab, storeRuns } from '../stored-runs.ts';

const palette = (page: Page): Locator => page.getByRole('region', { name: 'Palette' });
const runs = (page: Page): Locator => page.getByRole('button', { name: 'Fill the window' });
const panels = [
  { of: palette, keys: 'Control+b', name: 'the palette' },
  { of: inspector, keys: 'Control+Alt+b', name: 'the inspector' },
  { of: runs, keys: 'Control+j', name: 'the runs' },
] as const;
/** In CSS pixels: 1280 × 720 at 200 %, and two narrow windows. */
const sizes = [
  { width: 640, height: 360 },
  { width: 720, height: 450 },
  { width: 900, height: 600 },
];

test('every panel opens and closes by mouse and keyboard, and shows all of its controls', async ({
  page,
  dataFolder,
}, info) => {
  test.slow();
  await storeRuns(dataFolder, storedLab(3), [{ name: 'first' }, { name: 'second' }]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'No tour' }).click();
    for (const { width, height } of sizes) {
      await page.setViewportSize({ width, height });
      const size = `${width}x${height}`;
      await canvas(page).focus();
      for (const { of, keys, name } of panels) {
        const panel = of(page);
        const [show, hide] = ['Show', 'Hide'].map((verb) =>
          page.getByRole('button', { name: `${verb} ${name}` }),
        );
        if (await panel.isVisible()) await hide?.click();
        await expect(panel).toBeHidden();
        await page.keyboard.press(keys);
        await expect(panel).toBeVisible();
        await allReachable(page, `${size}, ${name}`);
        await page.keyboard.press(keys);
        await expect(panel).toBeHidden();
        await show?.click();
        await expect(panel).toBeVisible();
        await hide?.click();
        await expect(panel).toBeHidden();
      }
      // The keys apply to the drawing again, and Enter goes to the node's fields in the panel that was closed.
      await nodeCard(page, 'N1').click();
      await page.keyboard.press('Enter');
      await expect(inspector(page).getByLabel('Name', { exact: true })).toBeFocused();
      for (const tab of ['Node', 'Experiment', 'Lab']) {
        await inspector(page).getByRole('tab', { name: tab }).click();
        await allReachable(page, `${size}, ${tab}`);
      }
      await page.screenshot({ path: info.outputPath(`inspector-${size}.png`) });
      await page.getByRole('button', { name: 'Hide the inspector' }).click();
      await page.keyboard.press('Control+j');
      for (const view of ['Charts', 'Ranks', 'Logs', 'Checkpoints']) {
        const tab = page.getByRole('tab', { name: view });
        await tab.click();
        await allReachable(page, `${size}, ${view}`);
      }
      await page.screenshot({ path: info.outputPath(`runs-${size}.png`) });
      await page.getByRole('button', { name: 'All runs in a table' }).click();
      await allReachable(page, `${size}, all runs`);
      await page.getByRole('button', { name: 'Back to the run' }).click();
      await page.keyboard.press('Control+j');
    }
    await page.setViewportSize({ width: 640, height: 360 });
    await command(page, 'Dark theme');
    await command(page, '简体中文');
    expect(await violations(page)).toEqual([]);
    for (const keys of ['Control+b', 'Control+Alt+b', 'Control+j']) {
      await page.keyboard.press(keys);
      await allReachable(page, keys);
      await page.screenshot({ path: info.outputPath(`zh-${keys.replaceAll('+', '-')}.png`) });
      await page.keyboard.press(keys);
    }
  } finally {
    await app.stop();
  }
});
