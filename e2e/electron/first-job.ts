/** The example, shortened, from 'Run experiment' to the exported model; shared by the specs of every kind of window. */
import { stat } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { openExample, runExperiment, smallRun, waitForState } from '../pages/lab-page.ts';
import { lastStep } from '../pages/runs-page.ts';

/** @param chooseFile makes the save dialog choose a file, before 'Export model_best' is pressed */
export async function firstJob(page: Page, chooseFile: () => void | Promise<void>): Promise<void> {
  await openExample(page);
  await smallRun(page, '1');
  await runExperiment(page);
  await waitForState(page, 'finished', 180_000);
  await expect.poll(() => lastStep(page)).toBe(3);
  await chooseFile();
  await page.getByRole('button', { name: 'Export model_best' }).click();
  await expect(page.getByText('model_best.pth.tar').first()).toBeVisible();
}

/** The size of a file that the app is about to save; 0 before. */
export const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
