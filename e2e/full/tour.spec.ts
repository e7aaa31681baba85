/**
 * Does what docs/tour.md describes and makes its pictures: in the folder that `RINGLAB_PICTURES` names, otherwise beside the
 * results of the tests, so that a test run changes no document.
 */
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { newDataFolder, project, removeDataFolder, startApp } from '../app-process.ts';
import { expect, pageOf, test } from '../fixtures.ts';
import { boxOf, chooseHere, drag, insertTemplate } from '../pages/canvas-page.ts';
import {
  canvas,
  choose,
  labMenu,
  link,
  newLab,
  nodeCard,
  openExample,
  runExperiment,
  showPage,
  waitForState,
} from '../pages/lab-page.ts';
import { lastStep, runView } from '../pages/runs-page.ts';
import { storedLab, storeRuns } from '../stored-runs.ts';

test.use({ network: 'on' });
test.setTimeout(10 * 60_000);

const pictures = resolve(project, process.env.RINGLAB_PICTURES ?? join('test-results', 'tour'));
const picture = async (page: Page, name: string): Promise<void> => {
  // Menus and dialogs open with an animation.
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(pictures, `${name}.png`) });
};

test('draws a lab', async ({ page, dataFolder }) => {
  await mkdir(pictures, { recursive: true });
  const home = join(dataFolder, 'home');
  await mkdir(join(home, '.ssh'), { recursive: true });
  await writeFile(
    join(home, '.ssh', 'config'),
    'Host gpu1 gpu2\n  HostName %h.example\n  User ada\n  ProxyJump bastion\nHost bastion\n  HostName 10.0.0.1\n',
  );
  const before = process.env.HOME;
  process.env.HOME = home;
  const app = await startApp(join(dataFolder, 'data'));
  process.env.HOME = before;
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Take the tour' }).click();
    await page.getByRole('dialog', { name: /^Step 1 of 4/ }).waitFor();
    await picture(page, 'first-steps');
    await page.keyboard.press('Escape');
    await newLab(page);
    await page.getByRole('button', { name: 'Lab menu' }).click();
    await page.getByRole('menuitem', { name: 'Templates' }).hover();
    await page.getByRole('menuitem', { name: 'Two sites over a slow link' }).waitFor();
    await picture(page, 'templates');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await insertTemplate(page, 'Two sites over a slow link');
    await expect(page.locator('.react-flow__node')).toHaveCount(4);
    await page.keyboard.press('Shift+1');
    await page.waitForTimeout(400);
    const [first, third] = [await boxOf(page, 'N1'), await boxOf(page, 'N3')];
    await page
      .getByRole('region', { name: 'Palette' })
      .getByRole('button', { name: 'Note', exact: true })
      .hover();
    await page.mouse.down();
    await page.mouse.move((first.x + third.x + third.width) / 2, first.y + 20, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.type('Two campuses, 30 ms apart');
    await page.keyboard.press('Control+Enter');
    // Nearly aligned with the others: the guide shows it, and the card snaps.
    await drag(page, 'N1', { x: 0, y: 44 });
    await page.mouse.up();
    await drag(page, 'N1', { x: 0, y: -40 });
    await expect(page.locator('[data-guide]').first()).toBeVisible();
    await picture(page, 'guides');
    await page.mouse.up();
    await page.keyboard.press('Control+a');
    await picture(page, 'several');
    await canvas(page).click({ position: { x: 12, y: 12 } });
    await labMenu(page, 'Add hosts from ~/.ssh/config…');
    await page.getByRole('dialog', { name: 'Hosts from your SSH configuration' }).waitFor();
    await picture(page, 'ssh-hosts');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.keyboard.press('Control+,');
    await expect(page.getByRole('region', { name: 'This computer' })).toContainText(/\d/);
    await picture(page, 'settings');
  } finally {
    await app.stop();
  }
});

test('from a drawing to a running experiment', async ({ page, app, dataFolder }) => {
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
    .getByRole('group', { name: 'Estimated time per step' })
    .getByRole('button', { name: /^About/ })
    .click();
  await picture(page, 'estimate');
  await page.keyboard.press('Escape');
  await showPage(page, 'Experiment');
  await choose(page, 'Synchronisation', 'Automatic: what the links allow');
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await runExperiment(page);
  await runView(page, 'Preparation');
  await waitForState(page, 'running', 180_000);
  await picture(page, 'preparation');
  await runView(page, 'Charts');
  await expect.poll(() => lastStep(page), { timeout: 120_000 }).toBeGreaterThan(14);
  await picture(page, 'running');
  await link(page, 'N1', 'N2').click();
  await page.getByRole('tab', { name: 'Link', exact: true }).click();
  await picture(page, 'throughput');
  await nodeCard(page, 'N1').click({ button: 'right' });
  await picture(page, 'node-menu');
  await page.keyboard.press('Escape');
  await nodeCard(page, 'N1').click();
  for (const node of ['N2', 'N3']) await nodeCard(page, node).click({ modifiers: ['Shift'] });
  await nodeCard(page, 'N2').click({ button: 'right' });
  await chooseHere(page, 'Open terminals on all selected nodes');
  await expect(page.getByRole('tab', { name: 'N3 connected' })).toBeVisible();
  await page.getByRole('switch', { name: 'Type into all open terminals' }).click({ force: true });
  await page.keyboard.type('ip -br addr; ls ~/.ringlab\n');
  await page.waitForTimeout(800);
  await picture(page, 'terminal');
  await page.getByRole('button', { name: 'Runs', exact: true }).first().click();
  await waitForState(page, 'finished', 420_000);
  await picture(page, 'finished');
  await page.getByRole('button', { name: 'Fill the window' }).click();
  await page.getByRole('tab', { name: 'Checkpoints', exact: true }).click();
  const files = await readdir(join(dataFolder, 'nodes'), { recursive: true, withFileTypes: true });
  const star = files.find(({ name, parentPath }) => name === 'star' && parentPath.endsWith('val'));
  const [any] = await readdir(join(star?.parentPath ?? '', 'star'));
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose an image' }).click();
  await (await chooser).setFiles(join(star?.parentPath ?? '', 'star', any ?? ''));
  await expect(page.getByRole('list', { name: 'Most likely classes' }).getByRole('listitem')).toHaveCount(5, {
    timeout: 60_000,
  });
  await picture(page, 'test-an-image');
});

test('the results of runs', async ({ browser }) => {
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
        await page.getByRole('checkbox', { name: 'Select all listed runs' }).click();
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

test('an own script', async ({ page, dataFolder }) => {
  await mkdir(pictures, { recursive: true });
  // A folder of a name that says nothing of the computer where the picture is made.
  const folder = join(dataFolder, 'digits');
  await mkdir(folder);
  await cp(join(project, 'assets', 'scripts', 'digits_ddp.py'), join(folder, 'digits_ddp.py'));
  const source = { type: 'folder', path: folder } as const;
  const script = { source, file: 'digits_ddp.py', arguments: '--epochs 3' };
  const lab = storedLab(2);
  const steps = 180;
  await storeRuns(dataFolder, { ...lab, experiment: { ...lab.experiment, script } }, [
    {
      name: 'digits_ddp.py',
      experiment: { script },
      lines: (rank) =>
        Array.from({ length: rank === 0 ? steps : 0 }, (_, step) => ({
          t: step / 4,
          kind: 'scalar',
          step,
          values: {
            loss: 2.3 * Math.exp(-step / 60) + 0.06 * Math.sin(step * 7),
            ...(step % 60 === 59 ? { accuracy: 55 + step / 6 } : {}),
          },
        })),
    },
  ]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await showPage(page, 'Experiment');
    await expect(page.getByText(/^Sent to the nodes: /)).toBeVisible();
    await page.getByRole('group', { name: 'Estimated time of the script' }).getByRole('button').click();
    await picture(page, 'own-script');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit digits_ddp.py' }).click();
    await page.getByRole('dialog', { name: 'Code: digits_ddp.py' }).getByRole('textbox').waitFor();
    await picture(page, 'own-script-code');
  } finally {
    await app.stop();
  }
});

test('a sweep, and runs with several seeds', async ({ page, dataFolder }) => {
  await mkdir(pictures, { recursive: true });
  const runs = [0.01, 0.03, 0.1].flatMap((learningRate) =>
    [1, 2, 3].map((seed) => ({
      name: `lr ${learningRate}, seed ${seed}`,
      experiment: { learningRate, seed },
      secondsPerStep: 0.2 + learningRate,
      lossAt: (step: number): number => (1 + 0.1 * seed) * (2.3 - 8 * learningRate) * (1 - step / 90),
    })),
  );
  await storeRuns(dataFolder, storedLab(1), runs);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Fill the window' }).click();
    await page.getByRole('button', { name: 'All runs in a table' }).click();
    await page.getByRole('switch', { name: 'Parallel coordinates' }).click();
    await page.getByRole('region', { name: 'Parallel coordinates of the runs' }).waitFor();
    await picture(page, 'lines-across-settings');
    await page.getByRole('switch', { name: 'Parallel coordinates' }).click();
    await page.getByRole('checkbox', { name: 'Select all listed runs' }).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('combobox', { name: 'Group runs' }).click();
    await page.getByRole('option', { name: 'Same settings, other seed' }).click();
    await expect(page.locator('figure[data-chart="loss"] path[data-band]')).toHaveCount(3);
    await picture(page, 'seeds');
  } finally {
    await app.stop();
  }
});
