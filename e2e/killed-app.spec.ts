/** The app is killed in mid-run and started again: the run has gone on, and its curve has no hole (fault 25). */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startApp } from './app-process.ts';
import { expect, test } from './fixtures.ts';
import { openExample, runExperiment, setField, showPage, waitForState } from './pages/lab-page.ts';
import { lastStep } from './pages/runs-page.ts';

test('fault 25: kill the app in mid-run, start it again: no hole, nothing twice', async ({
  page,
  app,
  dataFolder,
}) => {
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  await setField(page, 'Epochs', '3');
  await setField(page, 'Training images', '360');
  await setField(page, 'Validation images', '90');
  await setField(page, 'Batch size', '36');
  await runExperiment(page);
  await waitForState(page, 'running');
  await expect.poll(() => lastStep(page), { timeout: 90_000 }).toBeGreaterThan(2);
  await app.kill();
  const seen = await lastStep(page);
  await expect(page.getByRole('alert')).toContainText('The connection to Ringlab is lost');
  // Steps are written meanwhile, with nobody watching.
  await page.waitForTimeout(3000);
  const again = await startApp(dataFolder, app.port);
  try {
    await page
      .getByRole('button', { name: 'Try now' })
      .click({ timeout: 5000 })
      .catch(() => undefined);
    await waitForState(page, 'finished', 180_000);
    expect(seen).toBeLessThan(29);
    await expect.poll(() => lastStep(page)).toBe(29);
    const [run] = await readdir(join(dataFolder, 'runs'));
    for (const rank of [0, 1, 2]) {
      const text = await readFile(join(dataFolder, 'runs', run!, `rank-${rank}.jsonl`), 'utf8');
      const steps = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { kind: string; step: number })
        .filter((line) => line.kind === 'step')
        .map((line) => line.step);
      expect(steps).toEqual(Array.from({ length: 30 }, (_, step) => step));
    }
  } finally {
    await again.stop();
  }
});
