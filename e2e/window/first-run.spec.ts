/** Before the first run: what is missing is said where it is missing, and what is shown of the machines is true. */
import {
  atRest,
  canvas,
  drawNode,
  inspector,
  labMenu,
  newLab,
  nodeCard,
  opensLab,
  runExperiment,
  selectNode,
  setField,
  showPage,
  threeLocalNodes,
} from '../pages/lab-page.ts';
import { cards, command, insertTemplate } from '../pages/canvas-page.ts';
import { violations } from '../pages/rules.ts';
import { expect, test } from '../shared-app.ts';

test.beforeEach(async ({ page, app }) => {
  await page.goto(app.url);
});

test('an example over SSH lists its missing addresses, and ‘Run’ does not try to connect', async ({
  page,
}, info) => {
  await opensLab(page, () => labMenu(page, 'One machine, many GPUs'));
  const steps = page.getByRole('region', { name: 'Fill in before the first run' });
  await expect(steps).toContainText('N1: the SSH host is missing.');
  await expect(steps).toContainText('The data folder’s path is missing.');
  await runExperiment(page);
  await expect(page.getByRole('heading', { name: 'Errors: correct these before a run' })).toBeVisible();
  await expect(page.getByText(/is unknown/)).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.screenshot({ path: info.outputPath('missing.png') });
  // By keyboard, from the list to the field.
  await steps.getByRole('button', { name: 'N1: the SSH host is missing.' }).focus();
  await page.keyboard.press('Enter');
  const host = inspector(page).getByLabel('SSH host', { exact: true });
  await expect(host).toBeFocused();
  await page.keyboard.type('n1.example');
  await expect(steps).toContainText('“n1.example” is an address for examples');
  await setField(page, 'SSH host', '10.0.0.1');
  await inspector(page).getByRole('combobox', { name: 'Log in with', exact: true }).click();
  await page.getByRole('option', { name: 'Key file' }).click();
  await setField(page, 'Key file', '~/.ssh/no_such_key');
  await expect(steps).toContainText('this computer has no key file “~/.ssh/no_such_key”');
  await expect(steps.getByRole('listitem')).toHaveCount(2);
});

test('a GPU node of this computer shows what this computer has, another one what is wanted of it', async ({
  page,
}, info) => {
  await newLab(page);
  await drawNode(page, 'GPU node', { x: 0.5, y: 0.4 });
  await expect(nodeCard(page, 'N1')).not.toContainText('RTX 3080');
  await expect(nodeCard(page, 'N1')).toContainText(/\d+ CPU · [\d.]+ GB/);
  await selectNode(page, 'N1');
  await inspector(page).getByText('SSH', { exact: true }).click();
  await expect(nodeCard(page, 'N1')).toContainText('Wanted: 1 × RTX 3080 · 4 CPU · 8 GB');
  await page.screenshot({ path: info.outputPath('wanted.png') });
});

test('a page whose program does not arrive says that it loads, and starts when it is reloaded', async ({
  page,
}) => {
  await page.route(/\.js$/, (route) => route.abort());
  await page.reload();
  const words = page.getByText('If nothing else appears, reload this page.');
  await expect(words).toBeVisible();
  await page.unrouteAll();
  await page.reload();
  await expect(canvas(page)).toBeVisible();
  await expect(words).toHaveCount(0);
});

test('a page whose program arrives at a later try starts by itself', async ({ page }) => {
  // Browsers end requests where the computer's network changes.
  let tries = 0;
  await page.route(/start-.*\.js$/, (route) => {
    tries += 1;
    return tries <= 2 ? route.abort('failed') : route.continue();
  });
  await page.reload();
  await expect(canvas(page)).toBeVisible();
  expect(tries).toBe(3);
});

test('after each layout no card covers a label', async ({ page }, info) => {
  await newLab(page);
  await insertTemplate(page, 'Three nodes in a ring at 10 Mbps');
  await expect(cards(page)).toHaveCount(3);
  for (const layout of ['as a chain', 'as a ring', 'as a star', 'as a grid', 'in layers']) {
    await canvas(page).click({ position: { x: 15, y: 15 } });
    await page.keyboard.press('Control+a');
    await command(page, `Lay out ${layout}`);
    await atRest(page);
    const covered = await page.evaluate(() => {
      const all = [...document.querySelectorAll('.react-flow__node')].map((one) =>
        one.getBoundingClientRect(),
      );
      return [...document.querySelectorAll('.react-flow__edge g rect')].filter((label) => {
        const at = label.getBoundingClientRect();
        return all.some(
          (card) =>
            at.left < card.right && card.left < at.right && at.top < card.bottom && card.top < at.bottom,
        );
      }).length;
    });
    await page.screenshot({ path: info.outputPath(`${layout}.png`) });
    expect([layout, covered]).toEqual([layout, 0]);
  }
});

test('the headline is in plain words, and an architecture is typed over the one that is there', async ({
  page,
}, info) => {
  await threeLocalNodes(page);
  const cost = page.getByRole('group', { name: 'Estimated time per step' });
  await expect(
    cost.getByRole('button', {
      name: /^As drawn: .+ per step; links are not emulated here$/,
    }),
  ).toBeVisible();
  await expect(cost).not.toContainText(/bits|Local steps/);
  await showPage(page, 'Experiment');
  const field = inspector(page).getByRole('combobox', { name: 'Architecture', exact: true });
  await field.click();
  await page.keyboard.type('squeezenet1_1');
  await expect(field).toHaveValue('squeezenet1_1');
  await expect(page.getByRole('option', { name: 'squeezenet1_1' })).toContainText(
    '1.24 M parameters · 4.9 MB',
  );
  await page.screenshot({ path: info.outputPath('architectures.png') });
  await page.getByRole('option', { name: 'squeezenet1_1' }).click();
  await expect(inspector(page).getByText('1.24 M parameters · 4.9 MB')).toBeVisible();
});

test.describe('in Chinese and dark', () => {
  test.use({ locale: 'zh-CN', colorScheme: 'dark' });

  test('what is missing is shown, and violates no rule of WCAG', async ({ page }, info) => {
    await page.getByRole('button', { name: '实验室菜单' }).click();
    await page.getByRole('menuitem', { name: 'CENI：三个 GPU 节点' }).click();
    await expect(page.getByRole('region', { name: '首次运行前请填写' })).toContainText('N1：缺少 SSH 主机。');
    await expect(page.getByText(/期望：1 × RTX 3080/)).toHaveCount(3);
    await atRest(page);
    await page.screenshot({ path: info.outputPath('missing-zh-dark.png') });
    expect(await violations(page)).toEqual([]);
  });
});
