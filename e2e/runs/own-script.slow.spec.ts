/** An own script that runs, as its user sees it: its progress as far as it is known, its best checkpoint, and the next estimate. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '../fixtures.ts';
import {
  labMenu,
  openExample,
  opensLab,
  runExperiment,
  setField,
  showPage,
  waitForState,
} from '../pages/lab-page.ts';
import { runView } from '../pages/runs-page.ts';
import { violations } from '../pages/rules.ts';

/** Prints what the test asks for, a line for each file that it makes. */
const train = `
import os, pathlib, sys, time
said = pathlib.Path(sys.argv[1])
for line in open("lines.txt").read().splitlines():
    name, text = line.split(" ", 1)
    while not (said / name).exists(): time.sleep(0.05)
    if os.environ["RANK"] == "0":
        print(text, flush=True)
        if "save" in name: time.sleep(1); pathlib.Path(f"{name}.pt").write_text("weights")
`;
const lines = `plain loss: 0.75
first Epoch [1/4], Step [10/20], loss: 0.5
save-1 Epoch [2/4], Step [10/20], loss: 0.25
save-2 Epoch [3/4], Step [10/20], loss: 0.4
`;

test('progress of a script is unknown until it can be inferred; its files and its estimate are there', async ({
  page,
  app,
  dataFolder,
}, info) => {
  const folder = `${dataFolder}-code`;
  const said = join(folder, 'said');
  await mkdir(said, { recursive: true });
  await writeFile(join(folder, 'train.py'), train);
  await writeFile(join(folder, 'lines.txt'), lines);
  await writeFile(join(folder, '.ringlabignore'), 'said\n');
  const say = (name: string): Promise<void> => writeFile(join(said, name), '');
  try {
    await page.goto(app.url);
    await openExample(page);
    await opensLab(page, () => labMenu(page, 'Own script'));
    await showPage(page, 'Experiment');
    await setField(page, 'Folder on this computer', folder);
    await setField(page, 'Script', 'train.py');
    await setField(page, 'Arguments', said);
    await expect(page.getByText(/^Sent to the nodes: 3 files, /)).toBeVisible();
    const estimate = page.getByRole('group', { name: 'Estimated time of the script' });
    await expect(estimate).toHaveCount(0);
    await runExperiment(page);
    await waitForState(page, 'running');
    const facts = page.getByRole('list', { name: /^Run / });
    await expect(facts.getByText('progress unknown')).toBeVisible();
    await say('plain');
    await expect(facts.getByText('loss 0.75')).toBeVisible();
    await expect(facts.getByText('progress unknown')).toBeVisible();
    await say('first');
    await expect(facts.getByText('Epoch 1 of 4')).toBeVisible();
    await expect(facts.getByText('Step 10 of 20')).toBeVisible();
    // One look at the progress says nothing of its speed.
    await expect(facts.getByText('remaining time unknown')).toBeVisible();
    await page.screenshot({ path: info.outputPath('unknown.png') });
    await page.waitForTimeout(1500);
    await say('save-1');
    await expect(facts.getByText(/^\d.* left$/)).toBeVisible();
    await runView(page, 'Charts');
    await expect(page.locator('figure[data-chart="values.loss"]')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.waitForTimeout(1500);
    await say('save-2');
    await waitForState(page, 'finished');

    await page.getByRole('button', { name: 'Fill the window' }).click();
    const listed = page.getByRole('navigation', { name: 'Runs of this lab' });
    await expect(listed.getByText('train.py')).toBeVisible();
    await expect(listed.getByText(/^Epoch/)).toHaveCount(0);
    await page.getByRole('tab', { name: 'Checkpoints' }).click();
    const table = page.getByRole('table', { name: 'Files of the script' });
    await expect(table.getByRole('rowheader')).toHaveText(['save-2.pt', 'save-1.pt']);
    await page.getByRole('combobox', { name: 'Scalar that ranks the files' }).click();
    await page.getByRole('option', { name: 'loss', exact: true }).click();
    const best = table.getByRole('row').filter({ has: page.getByText('best', { exact: true }) });
    await expect(best.getByRole('rowheader')).toContainText('save-1.pt');
    await page.screenshot({ path: info.outputPath('best.png') });
    const download = page.waitForEvent('download');
    await table.getByRole('button', { name: 'Export save-1.pt' }).click();
    expect((await download).suggestedFilename()).toBe('save-1.pt');
    // What the next run will take is what this one took.
    await estimate.getByRole('button').click();
    await expect(page.getByText('The whole run', { exact: true })).toBeVisible();
    await page.screenshot({ path: info.outputPath('estimate.png') });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
