/** Runs with settings that the machine cannot run: the error is explained, or the app helps. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, pageOf, test } from '../fixtures.ts';
import {
  choose,
  inspector,
  openExample,
  runExperiment,
  setField,
  showPage,
  waitForState,
} from '../pages/lab-page.ts';

test('a data folder without classes: the run fails at its step with the path; fine-tuning fields keep their text', async ({
  page,
  app,
  browser,
  dataFolder,
}, info) => {
  const data = join(dataFolder, '空 data');
  await mkdir(join(data, 'train'), { recursive: true });
  await mkdir(join(data, 'val'));
  await writeFile(join(data, 'train', 'readme.txt'), 'no classes');
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  await choose(page, 'Data', 'Folder on every node');
  await setField(page, 'Folder path', data);
  // Fine-tuning, names in checkpoints, decoding: a second window of the lab, in Chinese, shows them too.
  const weights = join(dataFolder, 'resnet18 权重.pth');
  await writeFile(weights, 'weights');
  await inspector(page).getByRole('button', { name: 'More training settings' }).click();
  await setField(page, 'Initial weights', weights);
  await setField(page, 'Backbone learning rate', '0.002');
  await setField(page, 'Frozen parameters', 'layer1,layer2.0');
  await choose(page, 'Frozen batch norm layers', 'Keep running statistics (eval mode)');
  await choose(page, 'Parameter names in checkpoints', 'As main.py’s: module. with several ranks');
  await choose(page, 'Decoding of large JPEGs', 'At 1/2, 1/4 or 1/8: faster, nearly PIL’s pixels');
  const chinese = await pageOf(browser, 'zh-CN', 'light');
  await chinese.goto(app.url);
  await chinese.locator('.react-flow__node').first().waitFor();
  await chinese.getByRole('complementary').getByRole('tab').nth(1).click();
  const names = chinese.getByRole('complementary').getByLabel('初始权重', { exact: true });
  await expect(names).toHaveValue(weights);
  await names.scrollIntoViewIfNeeded();
  await chinese.screenshot({ path: info.outputPath('fields-zh-CN.png') });
  await chinese.context().close();
  await runExperiment(page);
  await waitForState(page, 'failed');
  await expect(page.getByText(/has no class folders/).first()).toBeVisible();
  await expect(page.getByText(/空 data/).first()).toBeVisible();
});
