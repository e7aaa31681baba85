/** The code that a run of an own script had: its files, one file's text, and what differs from an earlier run. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCodeShelf } from '../../src/main/code/index.ts';
import type { Script } from '../../src/shared/lab/script.ts';
import { expect, test } from '../fixtures.ts';
import { startApp } from '../app-process.ts';
import { violations } from '../pages/rules.ts';
import { storedLab, storeRuns } from '../stored-runs.ts';

test('the code of a run is looked at, and compared with that of another run', async ({
  page,
  dataFolder,
}, info) => {
  const source = join(dataFolder, 'project');
  const script: Script = { source: { type: 'folder', path: source }, file: 'train.py', arguments: '' };
  await mkdir(join(source, 'nets'), { recursive: true });
  await writeFile(join(source, 'nets', 'small.py'), 'WIDTH = 8\n');
  const shelf = createCodeShelf(join(dataFolder, 'code'), dataFolder);
  const codes = [];
  for (const rate of ['0.1', '0.5']) {
    await writeFile(join(source, 'train.py'), `import nets.small\nrate = ${rate}\nprint(rate)\n`);
    codes.push((await shelf.take(script)).code);
  }
  await storeRuns(
    dataFolder,
    storedLab(1),
    codes.map((code, index) => ({
      name: `run ${index + 1}`,
      ranks: 1,
      experiment: { script },
      record: { code },
      lines: () => [{ kind: 'scalar', t: 1, step: 1, from: 'json', values: { loss: 1 } }],
    })),
  );
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Code of the run…' }).click();
    const dialog = page.getByRole('dialog', { name: 'The code of “run 2”' });
    await expect(dialog.getByRole('status')).toContainText('2 files');
    const text = dialog.locator('.cm-content');
    await expect(text).toContainText('rate = 0.5');
    await dialog.getByRole('combobox', { name: 'File' }).click();
    await page.getByRole('option', { name: /nets\/small\.py/ }).click();
    await expect(text).toContainText('WIDTH = 8');
    // No commit: the project is in no work tree.
    await expect(dialog.getByRole('radio', { name: 'Since the commit' })).toBeDisabled();
    await dialog.getByText('Since another run', { exact: true }).click();
    await expect(text.locator('.cm-diff-removed')).toHaveText('-rate = 0.1');
    await expect(text.locator('.cm-diff-added')).toHaveText('+rate = 0.5');
    await expect(text).not.toContainText('WIDTH');
    await page.screenshot({ path: info.outputPath('code.png') });
    expect(await violations(page)).toEqual([]);
  } finally {
    await app.stop();
  }
});
