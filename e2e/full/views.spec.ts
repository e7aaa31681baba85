/** Dialogs and menus over the lab and its runs, light and dark: axe finds no violation of WCAG 2.2 A and AA. */
import type { Page } from '@playwright/test';
import { expect, pageOf, test } from '../fixtures.ts';
import { startApp } from '../app-process.ts';
import { violations } from '../pages/rules.ts';
import { chooseHere } from '../pages/canvas-page.ts';
import { labMenu, nodeCard } from '../pages/lab-page.ts';
import { storedLab, storeRuns } from '../stored-runs.ts';

type Look = (name: string) => Promise<void>;

/** Escape closes one after the other: an open list in a dialog, then the dialog. */
const closed = (page: Page): Promise<void> =>
  expect(async () => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog').or(page.getByRole('menu'))).toHaveCount(0, { timeout: 1000 });
  }).toPass();

/** @param limit that the lab does not have yet */
async function runsInTables(page: Page, look: Look, limit: string): Promise<void> {
  await page.getByRole('button', { name: 'Fill the window' }).click();
  await page.getByRole('button', { name: 'Width of the cards and order of their values' }).click();
  await look('card-width');
  await closed(page);
  await page.getByRole('button', { name: 'More actions' }).click();
  await look('run-menu');
  await closed(page);
  await page.getByRole('button', { name: 'Notify me when…' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Limit' }).fill(limit);
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
  await look('limits');
  await closed(page);
  await page.getByRole('button', { name: 'All runs in a table' }).click();
  await page.getByRole('switch', { name: 'Parallel coordinates' }).click();
  await page.getByRole('checkbox', { name: 'Select all listed runs' }).click();
  await look('table');
  await page.getByRole('button', { name: 'Tags' }).click();
  await look('tags');
  await closed(page);
  await page.getByRole('button', { name: 'Sweep…' }).click();
  await look('sweep');
  await closed(page);
  await page.getByRole('button', { name: 'Compare' }).click();
  await look('compare');
  await page.getByRole('combobox', { name: 'Group runs' }).click();
  await page.getByRole('option', { name: 'Same settings, other seed' }).click();
  await look('groups');
}

async function lab(page: Page, look: Look): Promise<void> {
  await page
    .getByRole('region', { name: 'Palette' })
    .getByRole('button', { name: 'Area', exact: true })
    .click();
  await page.keyboard.type('Here');
  await page.keyboard.press('Control+Enter');
  await look('area');
  await page.getByRole('region', { name: 'Lab canvas' }).focus();
  await page.keyboard.press('Control+a');
  await look('several');
  await nodeCard(page, 'N2').click({ button: 'right' });
  await look('node-menu');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await look('commands');
  await closed(page);
  await page.keyboard.press('F1');
  await look('help');
  await closed(page);
  await labMenu(page, 'Add hosts from ~/.ssh/config…');
  await look('ssh-hosts');
  await closed(page);
  await nodeCard(page, 'N1').click();
  await nodeCard(page, 'N2').click({ modifiers: ['Shift'] });
  await nodeCard(page, 'N2').click({ button: 'right' });
  await chooseHere(page, 'Open terminals on all selected nodes');
  await expect(page.getByRole('tab', { name: /connected/ })).toHaveCount(2);
  await page.getByRole('switch', { name: 'Type into all open terminals' }).click({ force: true });
  await look('terminals');
  // Another page would show those that are open.
  await page.getByRole('textbox', { name: 'Terminal input' }).last().focus();
  await page.keyboard.type('exit\n');
  await expect(page.getByRole('tab', { name: /connected/ })).toHaveCount(0);
}

test('no dialog or menu violates WCAG', async ({ dataFolder, browser }, info) => {
  test.setTimeout(240_000);
  await storeRuns(
    dataFolder,
    storedLab(3),
    [0.02, 0.1].flatMap((learningRate) =>
      [1, 2].map((seed) => ({
        name: `lr ${learningRate}, seed ${seed}`,
        experiment: { learningRate, seed },
      })),
    ),
  );
  const app = await startApp(dataFolder);
  try {
    const found: string[] = [];
    for (const theme of ['light', 'dark'] as const) {
      const parts = [
        (page: Page, look: Look) => runsInTables(page, look, theme === 'light' ? '1' : '2'),
        lab,
      ];
      for (const part of parts) {
        const page = await pageOf(browser, 'en-US', theme);
        await page.goto(app.url);
        await page.locator('.react-flow__node').first().waitFor();
        await part(page, async (name) => {
          // Menus and dialogs open with an animation, during which the contrast is too low.
          await page.waitForTimeout(350);
          await page.screenshot({ path: info.outputPath(`${theme}-${name}.png`) });
          for (const one of await violations(page)) found.push(`${theme} ${name}: ${one}`);
        });
        await page.context().close();
      }
    }
    expect([...new Set(found)]).toEqual([]);
  } finally {
    await app.stop();
  }
});
