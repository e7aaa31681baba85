/** The app is killed during a run and restarted: the run has continued, and its curve has no gap (fault 25). */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startApp } from '../app-process.ts';
import { expect, test } from '../fixtures.ts';
import { choose, openExample, runExperiment, setField, showPage, waitForState } from '../pages/lab-page.ts';
import { lastStep } from '../pages/runs-page.ts';

/** The number of steps that rank 0 has written on its node. */
async function stepsWritten(dataFolder: string): Promise<number> {
  const files = await readdir(join(dataFolder, 'nodes'), { recursive: true });
  const metrics = files.find((path) => /rank-0\/.*\.jsonl$/.test(path));
  if (metrics === undefined) return 0;
  const text = await readFile(join(dataFolder, 'nodes', metrics), 'utf8');
  return text.split('\n').filter((line) => line.includes('"kind":"step"')).length;
}

test('fault 25: after a kill and restart of the app during a run, no point is missing or duplicated', async ({
  page,
  app,
  dataFolder,
}) => {
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  await choose(page, 'Architecture', 'shufflenet_v2_x0_5');
  await setField(page, 'Epochs', '2');
  await setField(page, 'Training images', '720');
  await setField(page, 'Validation images', '90');
  await setField(page, 'Batch size', '36');
  await runExperiment(page);
  await waitForState(page, 'running');
  await expect.poll(() => lastStep(page), { timeout: 90_000 }).toBeGreaterThan(0);
  await app.kill();
  const seen = await lastStep(page);
  await expect(page.getByRole('alert')).toContainText('The connection to Ringlab is lost');
  // Steps are written while the app does not run.
  await expect.poll(() => stepsWritten(dataFolder), { timeout: 60_000 }).toBeGreaterThan(seen + 2);
  const again = await startApp(dataFolder, app.port);
  try {
    await page
      .getByRole('button', { name: 'Try now' })
      .click({ timeout: 5000 })
      .catch(() => undefined);
    await waitForState(page, 'finished', 180_000);
    expect(seen).toBeLessThan(39);
    await expect.poll(() => lastStep(page)).toBe(39);
    const [run] = await readdir(join(dataFolder, 'runs'));
    for (const rank of [0, 1, 2]) {
      const text = await readFile(join(dataFolder, 'runs', run!, `rank-${rank}.jsonl`), 'utf8');
      const steps = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { kind: string; step: number })
        .filter((line) => line.kind === 'step')
        .map((line) => line.step);
      expect(steps).toEqual(Array.from({ length: 40 }, (_, step) => step));
    }
  } finally {
    await again.stop();
  }
});
