/** The pictures of docs/tour.md, made by walking through the program: a step that no longer works has no picture. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { newDataFolder, project, removeDataFolder, startApp } from '../app-process.ts';
import { expect, pageOf, test } from '../fixtures.ts';
import {
  choose,
  link,
  nodeCard,
  openExample,
  runExperiment,
  setField,
  showPage,
  waitForState,
} from '../pages/lab-page.ts';
import { lastStep, runView } from '../pages/runs-page.ts';
import { storedLab, storeRuns } from '../stored-runs.ts';

test.use({ network: 'on' });
test.setTimeout(10 * 60_000);

const pictures = join(project, 'docs', 'images', 'tour');
const picture = async (page: Page, name: string): Promise<void> => {
  // Menus and dialogs arrive with a movement.
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(pictures, `${name}.png`) });
};

test('from a drawing to a running experiment', async ({ page, app }) => {
  await mkdir(pictures, { recursive: true });
  await page.goto(app.url);
  await openExample(page);
  await picture(page, 'draw');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('lay');
  await picture(page, 'commands');
  await page.keyboard.press('Escape');
  await showPage(page, 'Experiment');
  await choose(page, 'Synchronisation', 'All-reduce');
  await link(page, 'N1', 'N2').click();
  await page
    .getByRole('group', { name: 'What a step will cost' })
    .getByRole('button', { name: /^About/ })
    .click();
  await picture(page, 'estimate');
  await page.keyboard.press('Escape');
  await showPage(page, 'Experiment');
  await choose(page, 'Synchronisation', 'Automatic: what the links allow');
  await setField(page, 'Epochs', '3');
  await setField(page, 'Training images', '960');
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await runExperiment(page);
  await runView(page, 'Preparation');
  await waitForState(page, 'running', 180_000);
  await picture(page, 'preparation');
  await runView(page, 'Charts');
  await expect.poll(() => lastStep(page), { timeout: 120_000 }).toBeGreaterThan(14);
  await picture(page, 'running');
  await nodeCard(page, 'N1').click({ button: 'right' });
  await picture(page, 'node-menu');
  await page.getByRole('menuitem', { name: /^Open a terminal/ }).click();
  await expect(page.getByRole('tab', { name: 'N1 connected' }).last()).toBeVisible();
  await page.keyboard.type('ip -br addr; ls ~/.ringlab\n');
  await page.waitForTimeout(800);
  await picture(page, 'terminal');
  await page.getByRole('button', { name: 'Runs', exact: true }).first().click();
  await waitForState(page, 'finished', 180_000);
  await picture(page, 'finished');
});

test('what runs leave behind', async ({ browser }) => {
  await mkdir(pictures, { recursive: true });
  const dataFolder = await newDataFolder();
  const log = (rank: number): string =>
    `=> creating model 'resnet18'\nEpoch: [0][ ${5 + rank}/20]\tLoss 2.0\nwarning: rank ${rank} waits for the others\nEpoch: [2][10/20]\tLoss 1.0\n`;
  await storeRuns(dataFolder, storedLab(3), [
    { name: 'one rank', ranks: 1, experiment: { batchSize: 30 }, secondsPerStep: 0.3 },
    { name: 'three ranks', experiment: { batchSize: 90 }, secondsPerStep: 0.4 },
    { name: 'three ranks, resumed', experiment: { batchSize: 90, learningRate: 0.1 }, resumedAt: 30 },
    { name: 'a slow rank', gpus: 2, log, computeSeconds: (rank) => (rank === 1 ? 0.45 : 0.15) },
  ]);
  const app = await startApp(dataFolder);
  try {
    for (const [locale, colorScheme] of [
      ['en-US', 'light'],
      ['zh-CN', 'dark'],
    ] as const) {
      const page = await pageOf(browser, locale, colorScheme);
      await page.goto(app.url);
      const english = locale === 'en-US';
      const say = (en: string, zh: string): string => (english ? en : zh);
      const name = (part: string): string => (english ? part : `${part}-zh-dark`);
      await page.getByRole('button', { name: say('Fill the window', '铺满窗口') }).click();
      await picture(page, name('charts'));
      await page.getByRole('tab', { name: say('Utilisation', '资源使用'), exact: true }).click();
      await picture(page, name('gpus'));
      if (english) {
        await page.getByRole('tab', { name: 'Logs', exact: true }).click();
        await page.getByRole('tab', { name: 'All ranks' }).click();
        await page.getByRole('textbox', { name: 'Search the logs of all ranks' }).fill('waits');
        await picture(page, 'logs');
        await page.getByRole('tab', { name: 'Checkpoints', exact: true }).click();
        await picture(page, 'checkpoints');
        await page.getByRole('button', { name: 'All runs in a table' }).click();
        await picture(page, 'runs');
        await page.getByRole('checkbox', { name: 'Mark all listed runs' }).click();
        await page.getByRole('button', { name: 'Compare' }).click();
        await picture(page, 'compare');
      }
      await page.context().close();
    }
  } finally {
    await app.stop();
    await removeDataFolder(dataFolder);
  }
});
