/** The lab and a run, light in English and dark in Chinese: axe finds no violation of WCAG 2.2 A and AA. */
import type { Locator } from '@playwright/test';
import { startApp } from '../app-process.ts';
import { expect, pageOf, test } from '../fixtures.ts';
import { atRest, nodeCard } from '../pages/lab-page.ts';
import { violations } from '../pages/rules.ts';
import { storedLab, storeRuns } from '../stored-runs.ts';

test('a violation is found', async ({ page }) => {
  await page.setContent('<main><button></button><p style="color: #ccc; background: #fff">Grey</p></main>');
  expect((await violations(page)).map((text) => text.split(':')[0])).toEqual(
    expect.arrayContaining(['button-name', 'color-contrast', 'html-has-lang']),
  );
});

/** Tabs by their index, since their names depend on the language; each tab is checked in one language only. */
const looks = [
  { locale: 'en-US', colorScheme: 'light', inspectorTabs: [1], runTabs: [0, 2] },
  { locale: 'zh-CN', colorScheme: 'dark', inspectorTabs: [2], runTabs: [1, 4] },
] as const;

test('the lab, a node and a run do not violate WCAG', async ({ dataFolder, browser }, info) => {
  await storeRuns(dataFolder, storedLab(2), [{ name: 'looked at' }]);
  const app = await startApp(dataFolder);
  try {
    const found: string[] = [];
    for (const { locale, colorScheme, inspectorTabs, runTabs } of looks) {
      const view = await pageOf(browser, locale, colorScheme);
      const look = async (part: string): Promise<void> => {
        await atRest(view);
        await view.screenshot({ path: info.outputPath(`${locale}-${part}.png`) });
        for (const one of await violations(view)) found.push(`${locale}-${colorScheme}-${part}: ${one}`);
      };
      await view.goto(app.url);
      await nodeCard(view, 'N1').click();
      await look('node');
      const inspectorTab = view.getByRole('complementary').getByRole('tab');
      for (const index of inspectorTabs) {
        await inspectorTab.nth(index).click();
        await look(`inspector-${index}`);
      }
      const runTab = view.getByRole('main').getByRole('tab');
      for (const index of runTabs) {
        await runTab.nth(index).click();
        await expect(runTab.nth(index)).toHaveAttribute('aria-selected', 'true');
        await look(`run-${index}`);
      }
      await view
        .getByRole('banner')
        .getByRole('button')
        [colorScheme === 'light' ? 'last' : 'first']()
        .click();
      await look('opened');
      await view.context().close();
    }
    expect([...new Set(found)]).toEqual([]);
  } finally {
    await app.stop();
  }
});

test('with forced colours, as Windows has for high contrast, what is chosen and what colours mean can be seen', async ({
  dataFolder,
  browser,
}) => {
  await storeRuns(dataFolder, storedLab(2), [{ name: 'looked at' }]);
  const app = await startApp(dataFolder);
  try {
    const view = await pageOf(browser, 'en-US', 'light');
    await view.emulateMedia({ forcedColors: 'active' });
    await view.goto(app.url);
    await expect(nodeCard(view, 'N1')).toBeVisible();
    const background = async (element: Locator): Promise<string> =>
      await element.evaluate((it) => getComputedStyle(it).backgroundColor);

    const choice = (text: string): Locator =>
      view.locator('label').filter({ hasText: new RegExp(`^${text}$`) });
    expect(await background(choice('Native trainer'))).not.toBe(await background(choice('Own script')));
    const outline = async (name: string): Promise<string> =>
      await view.getByRole('tab', { name, exact: true }).evaluate((it) => getComputedStyle(it).outlineStyle);
    expect([await outline('Experiment'), await outline('Lab')]).toEqual(['solid', 'none']);

    const events = view.getByRole('switch', { name: 'Events' });
    const track = events.locator('xpath=following-sibling::*[1]');
    const before = await background(track);
    await events.setChecked(!(await events.isChecked()), { force: true });
    await expect.poll(() => background(track)).not.toBe(before);

    const colour = (node: string): Locator =>
      view.getByRole('button', { name: node }).locator('span').first();
    expect(await background(colour('N1'))).not.toBe(await background(colour('N2')));
    await view.context().close();
  } finally {
    await app.stop();
  }
});
