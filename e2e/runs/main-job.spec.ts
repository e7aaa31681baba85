/** The main flow from start to end: draw, run, watch, stop, resume, export, load in Python. */
import { execFileSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '../fixtures.ts';
import {
  drawNode,
  linkNodes,
  newLab,
  nodeCard,
  runExperiment,
  setField,
  showPage,
  waitForState,
} from '../pages/lab-page.ts';
import { exportArtifact, lastStep, rankLog } from '../pages/runs-page.ts';

test.use({ network: 'on' });

test('draw three nodes, run, stop, resume, export, open in Python', async ({ page, app }, info) => {
  await page.goto(app.url);
  await newLab(page);
  await drawNode(page, 'CPU node', { x: 0.5, y: 0.2 });
  await drawNode(page, 'CPU node', { x: 0.25, y: 0.7 });
  await drawNode(page, 'GPU node', { x: 0.75, y: 0.7 });
  for (const name of ['N1', 'N2', 'N3']) await expect(nodeCard(page, name)).toBeVisible();
  await linkNodes(page, 'N1', 'N2', '1000');
  await linkNodes(page, 'N2', 'N3', '2500');
  await linkNodes(page, 'N3', 'N1', '1000');
  await expect(page.locator('.react-flow__edge')).toHaveCount(3);

  await showPage(page, 'Experiment');
  await setField(page, 'Epochs', '3');
  await setField(page, 'Training images', '180');
  await setField(page, 'Validation images', '36');
  await setField(page, 'Batch size', '36');
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await page.screenshot({ path: info.outputPath('drawn.png') });

  await runExperiment(page);
  await waitForState(page, 'running');
  await expect.poll(() => lastStep(page), { timeout: 90_000 }).toBeGreaterThan(0);
  const seen = await lastStep(page);
  await expect.poll(() => lastStep(page), { timeout: 30_000 }).toBeGreaterThan(seen);
  // The links show the traffic on them.
  if (process.getuid?.() === 0) await expect(page.getByText(/→ [\d.]+ ← [\d.]+ Mbps/).first()).toBeAttached();
  await page.screenshot({ path: info.outputPath('running.png') });

  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await waitForState(page, 'stopped');
  const stoppedAt = await lastStep(page);
  await page.getByRole('button', { name: 'Resume' }).click();
  await waitForState(page, 'running');
  await waitForState(page, 'finished', 180_000);
  expect(await lastStep(page)).toBe(14);
  expect(stoppedAt).toBeLessThan(14);
  // Each line says when it arrived.
  await rankLog(page, 1, /\d\d:\d\d:\d\dEpoch: \[2\]/);
  await page.screenshot({ path: info.outputPath('finished.png') });

  const file = join(info.outputDir, 'model_best.pth.tar');
  await exportArtifact(page, 'Export model_best', file);
  expect((await stat(file)).size).toBeGreaterThan(40_000_000);
  // The same with the parameter names of main.py under DistributedDataParallel, which the trainer writes.
  const wrapped = join(info.outputDir, 'checkpoint.ddp.pth.tar');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.screenshot({ path: info.outputPath('exports.png') });
  const download = page.waitForEvent('download', { timeout: 60_000 });
  await page
    .getByRole('menuitem', { name: 'checkpoint as main.py under DistributedDataParallel loads it' })
    .click();
  expect((await download).suggestedFilename()).toBe('checkpoint.ddp.pth.tar');
  await (await download).saveAs(wrapped);
  const script = [
    'import sys, torch, torchvision',
    'saved = torch.load(sys.argv[1], map_location="cpu")',
    'model = torchvision.models.resnet18(num_classes=10)',
    'model.load_state_dict(saved["state_dict"])',
    'print(saved["arch"], saved["epoch"], float(saved["best_acc1"]))',
    'saved = torch.load(sys.argv[2], map_location="cpu")',
    'model = torch.nn.DataParallel(torchvision.models.resnet18(num_classes=10))',
    'model.load_state_dict(saved["state_dict"])',
    'optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)',
    'optimizer.load_state_dict(saved["optimizer"])',
    'print(saved["arch"], saved["epoch"])',
  ].join('\n');
  const output = execFileSync('/usr/bin/python3', ['-c', script, file, wrapped], { encoding: 'utf8' });
  expect(output).toMatch(/^resnet18 [1-3] \d\S*\nresnet18 3\n$/);
});
