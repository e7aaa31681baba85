/** Data from an S3-compatible bucket: its fields, and its secret, which is asked for and not stored in the lab. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startStandInBucket } from '../../../src/main/transfer/testing/stand-in-bucket.ts';
import { expect, pageOf, test } from '../../fixtures.ts';
import {
  choose,
  inspector,
  openExample,
  runExperiment,
  setField,
  showPage,
  waitForState,
} from '../../pages/lab-page.ts';

test('a bucket is entered, its secret is asked for, and a wrong one is reported', async ({
  page,
  app,
  dataFolder,
  browser,
}, info) => {
  test.setTimeout(300_000);
  const service = await startStandInBucket({ bucket: 'drive', accessKeyId: 'AKIDANNA', secretKey: 'right' });
  try {
    await page.goto(app.url);
    await openExample(page);
    await showPage(page, 'Experiment');
    await choose(page, 'Data', 'S3-compatible bucket');
    await setField(page, 'Address of the service', service.url);
    await setField(page, 'Bucket', 'drive');
    await setField(page, 'Prefix, or the archive’s name', 'sets/pets');
    await setField(page, 'Access key ID', 'AKIDANNA');
    await page.getByRole('switch', { name: 'Each node holds only its part' }).click();
    await page.getByRole('switch', { name: 'Each node holds only its part' }).scrollIntoViewIfNeeded();
    await page.screenshot({ path: info.outputPath('form-en-light.png') });
    const view = await pageOf(browser, 'zh-CN', 'dark');
    await view.goto(app.url);
    await view.locator('.react-flow__node').first().waitFor();
    await view.getByRole('complementary').getByRole('tab').nth(1).click();
    const part = view.getByRole('switch', { name: '只保存自己的一份' });
    await expect(part).toBeChecked();
    await part.scrollIntoViewIfNeeded();
    await view.screenshot({ path: info.outputPath('form-zh-CN-dark.png') });
    await view.context().close();
    await runExperiment(page);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const question = page.getByRole('dialog', { name: 'Secret key for the bucket drive' });
      await question.waitFor({ timeout: 120_000 });
      // The same dialog with an empty field, and a message that the previous secret was wrong.
      const field = question.getByLabel('Secret access key');
      await expect(field).toHaveValue('');
      if (attempt > 0) await expect(question.getByText('That was not correct.')).toBeVisible();
      await field.fill(`wrong ${attempt}`);
      if (attempt === 0) await page.screenshot({ path: info.outputPath('question.png') });
      await page.keyboard.press('Enter');
    }
    await expect(page.getByRole('dialog', { name: 'Secret key for the bucket drive' })).toBeHidden();
    await waitForState(page, 'failed', 120_000);
    await expect(
      page.getByText(/bucket drive .* was not opened: SignatureDoesNotMatch/).first(),
    ).toBeVisible();
    await page.screenshot({ path: info.outputPath('failed.png') });
    await expect(inspector(page)).toBeVisible();
    const labs = join(dataFolder, 'labs');
    for (const file of await readdir(labs))
      expect(await readFile(join(labs, file), 'utf8')).not.toContain('wrong');
  } finally {
    await service.close();
  }
});
