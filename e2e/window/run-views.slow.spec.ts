/** The views of one run, with the mouse: charts, events, GPUs, the explanation of slow steps, the search in all logs. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '../fixtures.ts';
import { startApp } from '../app-process.ts';
import { chart, dragAlong, exportChart, plotOf, runView } from '../pages/runs-page.ts';
import { firstStart, storedLab, storeRuns } from '../stored-runs.ts';

test('zoom, pan, pin, see events and bands, export a chart', async ({ page, dataFolder }, info) => {
  await storeRuns(dataFolder, storedLab(3), [
    {
      name: 'resumed',
      resumedAt: 30,
      record: {
        events: [
          {
            t: firstStart + 12,
            kind: 'link',
            what: 'N1 – N2: 100 Mbps → 10 Mbps',
          },
        ],
      },
    },
  ]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Fill the window' }).click();
    const loss = chart(page, 'Loss');
    await expect(loss).toHaveAttribute('aria-busy', 'false');
    // A resumed run is one curve without repeated steps: 60 for each rank, though 66 were computed; one validation for each epoch.
    await expect(loss).toHaveAttribute('data-points', String(3 * 60 + 3));
    await expect(loss.getByRole('img', { name: 'Training resumed here' })).toBeVisible();
    await expect(loss.getByRole('img', { name: /Link N1 – N2: 100 Mbps → 10 Mbps/ })).toBeVisible();
    await expect(loss.getByRole('img', { name: /Best so far, after epoch 3/ })).toBeVisible();

    const parts = chart(page, 'Step time').locator('[data-line="rank-0/step/communication_hidden_seconds"]');
    await expect(parts.locator('path')).toHaveAttribute('stroke-dasharray', /\d/);

    const cursor = loss.getByRole('slider');
    const plot = await plotOf(loss);
    const shown = async () => [
      Number(await cursor.getAttribute('aria-valuemin')),
      Number(await cursor.getAttribute('aria-valuemax')),
    ];
    expect(await shown()).toEqual([0, 3]);
    await dragAlong(page, plot, 0.2, 0.6);
    const [low = 0, high = 0] = await shown();
    expect(low).toBeCloseTo(0.6, 1);
    expect(high).toBeCloseTo(1.8, 1);
    // All charts share the zoom; Shift and a drag pans it.
    await expect(chart(page, 'Top-1').getByRole('slider')).toHaveAttribute('aria-valuemin', String(low));
    await page.keyboard.down('Shift');
    await dragAlong(page, plot, 0.5, 0.25);
    await page.keyboard.up('Shift');
    await expect.poll(async () => (await shown())[0]).toBeCloseTo(low + (high - low) / 4, 1);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, 240);
    await page.keyboard.up('Control');
    await expect.poll(async () => (await shown())[1] ?? 0).toBeGreaterThan(high + 0.5);
    await page.getByRole('button', { name: 'Reset zoom' }).click();

    await page.mouse.click(...plot.at(0.4), { button: 'right' });
    await page.getByRole('textbox', { name: 'Note on this point' }).fill('here the rate fell');
    await page.getByRole('button', { name: 'Keep' }).click();
    await expect(loss.getByRole('button', { name: 'Pinned: here the rate fell' })).toBeVisible();
    await page.reload();
    await page.getByRole('button', { name: 'Fill the window' }).click();
    await expect(loss.getByRole('button', { name: 'Pinned: here the rate fell' })).toBeVisible();

    await page.getByRole('combobox', { name: 'Ranks shown' }).click();
    await page.getByRole('option', { name: 'Band over all ranks' }).click();
    await expect(loss.locator('path[data-band]')).toHaveCount(1);
    await expect(loss.getByRole('button', { name: /Mean of 3 ranks/ })).toBeVisible();
    await page.screenshot({ path: info.outputPath('charts.png') });

    const take = (entry: string): Promise<string> => exportChart(page, loss, 'Loss', entry, info);
    const csv = await readFile(await take('Points (CSV)'), 'utf8');
    expect(csv.split('\r\n')[0]).toBe('epoch,Mean of 3 ranks,Validation');
    const png = await readFile(await take('Picture (PNG)'));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.length).toBeGreaterThan(10_000);
    const svg = await readFile(await take('Drawing (SVG)'), 'utf8');
    expect(svg).toContain('>Loss</text>');
    expect(svg).not.toContain('var(--');
  } finally {
    await app.stop();
  }
});

test('shows every GPU over time, and why the run is slow', async ({ page, dataFolder }, info) => {
  await storeRuns(dataFolder, storedLab(3), [
    { name: 'slow rank', gpus: 2, computeSeconds: (rank) => (rank === 1 ? 0.45 : 0.15) },
  ]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Fill the window' }).click();
    await runView(page, 'Utilisation');
    const why = page.getByRole('region', { name: 'What a step waits for' });
    await expect(why.locator('li').first()).toContainText(
      'Rank 1 · N2 is a straggler: it computes 3.0 times as long as the others',
    );
    await expect(why.locator('li[data-why="throttled"]')).toContainText('1100 MHz at 89 °C');
    await expect(why.locator('li[data-why="network"]')).toHaveCount(0);
    const heat = page.getByRole('region', { name: 'Over the whole run' });
    await expect(heat.getByRole('img', { name: /^N2 · GPU 1: now/ })).toBeVisible();
    await expect(heat.getByRole('img')).toHaveCount(6);
    await heat.getByText('Temperature', { exact: true }).click();
    await expect(heat.getByRole('img', { name: 'N2 · GPU 0: now 89 °C' })).toBeVisible();
    const card = page.getByRole('article', { name: 'Utilisation of N2' });
    await expect(card).toContainText('1100 MHz');
    await expect(card).toContainText('310 W');
    await page.screenshot({ path: info.outputPath('gpus.png') });
  } finally {
    await app.stop();
  }
});

test('search the logs of all ranks, by time', async ({ page, dataFolder }, info) => {
  const log = (rank: number): string =>
    `=> creating model 'resnet18'\nEpoch: [0][ ${5 + 5 * rank}/20]\tLoss 2.0\nwarning: rank ${rank} waits\nEpoch: [2][10/20]\tLoss 1.0\n`;
  await storeRuns(dataFolder, storedLab(3), [{ name: 'logged', log }]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Fill the window' }).click();
    await runView(page, 'Logs');
    await page.getByRole('tab', { name: 'All ranks' }).click();
    await page.getByRole('textbox', { name: 'Search the logs of all ranks' }).fill('WAITS');
    const found = page.getByRole('log', { name: 'Lines of all ranks, by time' });
    await expect(found).toHaveAttribute('data-lines', '3');
    expect(await found.locator('[data-rank]').allInnerTexts()).toEqual([
      expect.stringMatching(/^0:0\d\s*0\s*warning: rank 0 waits$/),
      expect.stringMatching(/^0:0\d\s*1\s*warning: rank 1 waits$/),
      expect.stringMatching(/^0:0\d\s*2\s*warning: rank 2 waits$/),
    ]);
    await page.screenshot({ path: info.outputPath('logs.png') });
    await found.getByRole('button', { name: 'Open the log of rank 1 (line 3)' }).click();
    await expect(page.getByRole('log', { name: 'Log of rank 1' })).toContainText('warning: rank 1 waits');
  } finally {
    await app.stop();
  }
});

test('inspect a checkpoint, and export a report', async ({ page, dataFolder }, info) => {
  const [id = ''] = await storeRuns(dataFolder, storedLab(2), [
    { name: 'kept', log: () => 'Epoch: [0][ 1/20]\n', record: { notes: 'a <b>bold</b> note' } },
  ]);
  // The copy that the app downloads when a run ends.
  const artifacts = join(dataFolder, 'runs', id, 'artifacts');
  await mkdir(artifacts, { recursive: true });
  execFileSync('/usr/bin/python3', [
    '-c',
    `import sys, torch
torch.save({'epoch': 3, 'arch': 'resnet18', 'state_dict': torch.nn.Linear(100, 10).state_dict(), 'best_acc1': 60.0}, sys.argv[1])`,
    join(artifacts, 'checkpoint.pth.tar'),
  ]);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Fill the window' }).click();
    await page.getByRole('tab', { name: 'Checkpoints', exact: true }).click();
    const table = page.getByRole('table', { name: 'Checkpoints' });
    await expect(table.locator('tr[data-epoch]')).toHaveCount(3);
    for (const text of ['model_best.pth.tar', 'checkpoint.pth.tar', 'on N1'])
      await expect(table.locator('tr[data-epoch="3"]')).toContainText(text);
    await expect(table.locator('tr[data-epoch="1"]')).toContainText('overwritten by a later checkpoint');
    await expect(table.locator('tr[data-epoch="1"]')).toContainText('20.0 %');
    await page.getByRole('button', { name: 'Verify checkpoint.pth.tar' }).click();
    await expect(page.getByText('checkpoint.pth.tar is intact.')).toBeVisible();
    await expect(page.getByText('resnet18, 1,010 parameters in 2 tensors')).toBeVisible();
    await page.screenshot({ path: info.outputPath('checkpoints.png') });

    await page.getByRole('button', { name: 'More actions' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Report (one HTML file)' }).click();
    const file = info.outputPath('report.html');
    expect((await download).suggestedFilename()).toBe('kept-report.html');
    await (await download).saveAs(file);
    const report = await page.context().newPage();
    // No network request, and no markup from a run's name or notes.
    const asked: string[] = [];
    report.on('request', (request) => asked.push(request.url()));
    await report.goto(`file://${file}`);
    await expect(report.getByRole('heading', { name: 'kept' })).toBeVisible();
    await expect(report.getByText('a <b>bold</b> note')).toBeVisible();
    await expect(report.locator('figure svg')).toHaveCount(3);
    await expect(report.getByRole('img', { name: 'Lab as drawn at the start' })).toBeVisible();
    const curve = (await report.locator('figure svg path').first().getAttribute('d')) ?? '';
    expect(curve.split('L').length).toBe(60);
    expect(curve).not.toContain('NaN');
    await expect(report.getByRole('row', { name: 'Learning rate 0.02' })).toBeVisible();
    expect(asked).toEqual([`file://${file}`]);
    await report.screenshot({ path: info.outputPath('report.png'), fullPage: true });
  } finally {
    await app.stop();
  }
});
