/** Uses of a checkpoint: classifying an image that is dropped on it, and starting a new run from it. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from '../../fixtures.ts';
import {
  choose,
  drawNode,
  newLab,
  runExperiment,
  setField,
  showPage,
  waitForState,
} from '../../pages/lab-page.ts';
import { openRunByName } from '../../pages/runs-page.ts';

/** Drops a file on the place for images, as the desktop does. */
async function drop(page: Page, name: string, bytes: Buffer, type: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([file, base64, mime]) => {
      const transfer = new DataTransfer();
      const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([content], file, { type: mime }));
      return transfer;
    },
    [name, bytes.toString('base64'), type] as const,
  );
  const place = page.getByRole('region', { name: 'Test an image' });
  await place.dispatchEvent('dragover', { dataTransfer: data });
  await place.dispatchEvent('drop', { dataTransfer: data });
}

async function find(folder: string, name: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.find((entry) => entry.name === name || entry.parentPath.endsWith(name));
  if (found === undefined) throw new Error(`no ${name} below ${folder}`);
  return join(found.parentPath, found.name);
}

/** The time-out of each wait: only a hang takes so long, even on a busy machine. */
const patience = 300_000;

test('classify an image, and start a run from a kept checkpoint', async ({ page, app, dataFolder }, info) => {
  // Two trainings and five classifications: each has its own time-out, so the test as a whole needs a larger one.
  test.setTimeout(10 * patience);
  await page.goto(app.url);
  await newLab(page);
  await drawNode(page, 'CPU node', { x: 0.5, y: 0.3 });
  await showPage(page, 'Experiment');
  await choose(page, 'Architecture', 'shufflenet_v2_x0_5');
  await setField(page, 'Epochs', '2');
  await setField(page, 'Training images', '60');
  await setField(page, 'Validation images', '30');
  await setField(page, 'Batch size', '30');
  await setField(page, 'Keep a checkpoint every', '1');
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await runExperiment(page);
  await waitForState(page, 'finished', patience);
  await page.getByRole('button', { name: 'Fill the window' }).click();
  await page.getByRole('tab', { name: 'Checkpoints', exact: true }).click();
  const table = page.getByRole('table', { name: 'Checkpoints' });
  await expect(table.locator('tr[data-epoch="1"]')).toContainText('checkpoint-epoch-1.pth.tar', {
    timeout: patience,
  });

  const star = await find(join(dataFolder, 'nodes'), 'val/star');
  // Found by its text: notifications of the queue and of the run's end are alerts too, for some seconds.
  const refusal = (text: string) => page.getByRole('alert').filter({ hasText: text });
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose an image' }).click();
  await (await chooser).setFiles(star);
  const likeliest = page.getByRole('list', { name: 'Most likely classes' });
  await expect(likeliest.getByRole('listitem')).toHaveCount(5, { timeout: patience });
  await expect(likeliest.getByRole('listitem').first()).toHaveText(
    /^(box|circle|cross|dots|line|moon|ring|square|star|triangle)\d+(\.\d+)? %$/,
  );
  await expect(page.getByText(/computed on N1 in .* at 32 × 32 px/)).toBeVisible({ timeout: patience });
  await page.screenshot({ path: info.outputPath('image.png') });

  await page.getByRole('combobox', { name: 'Checkpoint' }).click();
  await page.getByRole('option', { name: 'checkpoint-epoch-1.pth.tar' }).click();
  await expect(page.getByText(/^checkpoint-epoch-1\.pth\.tar \(epoch 1\)/)).toBeVisible({
    timeout: patience,
  });
  // One of the data set's own, whose class is known.
  await page.getByRole('button', { name: 'Use an image of the data set' }).click();
  const samples = page.getByRole('group', { name: 'Use an image of the data set' }).getByRole('button');
  await expect(samples).toHaveCount(6, { timeout: patience });
  await page.screenshot({ path: info.outputPath('samples.png') });
  await samples
    .filter({ has: page.getByRole('img') })
    .nth(1)
    .click();
  await expect(page.getByText(/^The data set calls it \w+\.$/)).toBeVisible({ timeout: patience });
  await page.screenshot({ path: info.outputPath('sample.png') });

  await drop(page, 'notes.txt', Buffer.from('no image at all'), 'text/plain');
  await expect(refusal('notes.txt is neither JPEG, PNG, WebP, TIFF, BMP nor PPM.')).toBeVisible({
    timeout: patience,
  });
  await drop(page, 'cut.jpg', (await readFile(star)).subarray(0, 400), 'image/jpeg');
  await expect(refusal('cut.jpg cannot be read as an image')).toBeVisible({ timeout: patience });
  await page.screenshot({ path: info.outputPath('no-image.png') });

  await table.getByRole('button', { name: 'Continue from checkpoint-epoch-1.pth.tar' }).click();
  const dialog = page.getByRole('dialog', { name: 'Continue from epoch 1' });
  await dialog.getByRole('textbox', { name: 'Total epochs' }).fill('1');
  await page.keyboard.press('Tab');
  await expect(dialog.getByText('More than the 1 that are complete.')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Total epochs' }).fill('3');
  await page.screenshot({ path: info.outputPath('go-on.png') });
  await dialog.getByRole('button', { name: 'Start' }).click();
  await expect(dialog).toBeHidden({ timeout: patience });
  await openRunByName(page, 'from epoch 1, epochs 3');
  await waitForState(page, 'finished', patience);
  await page.getByRole('tab', { name: 'Checkpoints', exact: true }).click();
  await expect(table.locator('tr[data-epoch]')).toHaveCount(2, { timeout: patience });
  await expect(table.locator('tr[data-epoch="3"]')).toContainText('on N1');

  // The file is deleted on the node: the error names it.
  await rm(await find(join(dataFolder, 'nodes'), 'checkpoint-epoch-3.pth.tar'));
  await page.getByRole('combobox', { name: 'Checkpoint' }).click();
  await page.getByRole('option', { name: 'checkpoint-epoch-3.pth.tar' }).click();
  await drop(page, 'star.jpg', await readFile(star), 'image/jpeg');
  await expect(refusal('checkpoint-epoch-3.pth.tar is no longer on N1.')).toBeVisible({ timeout: patience });
});
