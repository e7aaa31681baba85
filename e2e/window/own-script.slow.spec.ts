/** An own script in the inspector: chosen, filled, corrected, and still there after a reload. */
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, pageOf, test } from '../fixtures.ts';
import {
  choose,
  inspector,
  labMenu,
  openExample,
  opensLab,
  setField,
  showPage,
  waitForState,
} from '../pages/lab-page.ts';
import { violations } from '../pages/rules.ts';

const trainer = (page: Page) => inspector(page).getByRole('radiogroup', { name: 'Trainer' });
const more = (page: Page) => inspector(page).getByRole('button', { name: /^More settings of the script/ });

/** A folder with a script, beside the app's data. */
async function newFolder(dataFolder: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = `${dataFolder}-code`;
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

async function chooseScript(page: Page, folder: string): Promise<void> {
  await showPage(page, 'Experiment');
  await trainer(page).getByText('Own script').click();
  await setField(page, 'Folder on this computer', folder);
}

/** The stored lab's script. */
async function storedScript(dataFolder: string): Promise<unknown> {
  const labs = join(dataFolder, 'labs');
  const [file = ''] = (await readdir(labs)).filter((name) => name.endsWith('.lab.json'));
  const lab: unknown = JSON.parse(await readFile(join(labs, file), 'utf8'));
  return (lab as { experiment: { script?: unknown } }).experiment.script;
}

test('an own script takes a folder, a script and arguments; the rest is folded, and all of it survives a reload', async ({
  page,
  app,
  dataFolder,
  browser,
}, info) => {
  const folder = await newFolder(dataFolder, {
    'train.py': 'print("loss: 0.1")\n',
    'tools/check.py': '',
    'requirements.txt': 'numpy\n',
  });
  try {
    await page.goto(app.url);
    await openExample(page);
    await showPage(page, 'Experiment');
    await expect(inspector(page).getByRole('combobox', { name: 'Architecture' })).toBeVisible();
    await chooseScript(page, folder);
    // What only the native trainer has is gone, from the estimate too.
    await expect(inspector(page).getByRole('combobox', { name: 'Architecture' })).toBeHidden();
    await expect(page.getByRole('group', { name: 'Estimate' })).toBeHidden();
    // The folder's obvious script is chosen, and the others are offered.
    const file = inspector(page).getByRole('combobox', { name: 'Script', exact: true });
    await expect(file).toHaveValue('train.py');
    await file.fill('');
    await expect(page.getByRole('option', { name: 'tools/check.py' })).toBeVisible();
    await file.fill('train.py');
    await file.press('Tab');
    await setField(page, 'Arguments', `--name 'a b' --lr 0.1`);
    const words = inspector(page).getByRole('list', { name: 'The script’s arguments one by one' });
    await expect(words.getByRole('listitem')).toHaveText(['--name', 'a b', '--lr', '0.1']);
    await expect(more(page)).toHaveAttribute('aria-expanded', 'false');
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: info.outputPath('form-en-light.png') });

    await more(page).click();
    await inspector(page).getByRole('button', { name: 'Add a variable' }).click();
    await setField(page, 'Variable 1', 'DATA_DIR');
    await setField(page, 'Value 1', '/data');
    await inspector(page).getByRole('button', { name: 'Add a variable' }).click();
    await setField(page, 'Variable 2', 'HF_TOKEN');
    await inspector(page).getByRole('button', { name: 'Secret: HF_TOKEN' }).click();
    await setField(page, 'torch', '2.9.1');
    await choose(page, 'Packages', 'A requirements file');
    await expect(inspector(page).getByLabel('Requirements file')).toHaveValue('requirements.txt');
    await setField(page, 'JSON-lines files that it writes', 'out/metrics.jsonl\nout/val.jsonl');
    await inspector(page).getByRole('button', { name: 'Add a pattern' }).click();
    await setField(page, 'Name 1', 'val/dice');
    await setField(page, 'Pattern 1', 'dice=([0-9.]+)');
    await choose(page, 'Start', 'torchrun on each node');
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    expect(await violations(page)).toEqual([]);
    const script = {
      source: { type: 'folder', path: folder },
      file: 'train.py',
      arguments: `--name 'a b' --lr 0.1`,
      environment: [
        { name: 'DATA_DIR', value: '/data' },
        { name: 'HF_TOKEN', secret: true },
      ],
      install: { type: 'requirements', file: 'requirements.txt' },
      launch: 'torchrun',
      outputs: ['out/metrics.jsonl', 'out/val.jsonl'],
      patterns: [{ name: 'val/dice', pattern: 'dice=([0-9.]+)' }],
    };
    expect(await storedScript(dataFolder)).toEqual(script);

    // The other side's values are kept, and switching is one undo step.
    await trainer(page).getByText('Native trainer').click();
    await expect(inspector(page).getByRole('combobox', { name: 'Architecture' })).toHaveValue('resnet18');
    await trainer(page).getByText('Own script').click();
    await expect(inspector(page).getByLabel('Arguments', { exact: true })).toHaveValue(script.arguments);
    await trainer(page).focus();
    await page.keyboard.press('Control+z');
    await expect(inspector(page).getByRole('combobox', { name: 'Architecture' })).toHaveValue('resnet18');
    await page.keyboard.press('Control+y');
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();

    await page.reload();
    await showPage(page, 'Experiment');
    await expect(inspector(page).getByRole('combobox', { name: 'Script', exact: true })).toHaveValue(
      'train.py',
    );
    await expect(more(page)).toHaveAttribute('aria-expanded', 'true');
    await expect(inspector(page).getByLabel('Variable 2')).toHaveValue('HF_TOKEN');
    await page.screenshot({ path: info.outputPath('more-en-light.png') });
    const view = await pageOf(browser, 'zh-CN', 'dark');
    await view.goto(app.url);
    await view.locator('.react-flow__node').first().waitFor();
    await view.getByRole('complementary').getByRole('tab').nth(1).click();
    await expect(view.getByRole('combobox', { name: '脚本文件' })).toHaveValue('train.py');
    await view.screenshot({ path: info.outputPath('form-zh-CN-dark.png') });
    await view.getByText('打印行中的数值').scrollIntoViewIfNeeded();
    expect(await violations(view)).toEqual([]);
    await view.screenshot({ path: info.outputPath('more-zh-CN-dark.png') });
    await view.context().close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('what is wrong with a script is said at its fields, and no run starts', async ({
  page,
  app,
  dataFolder,
}) => {
  const folder = await newFolder(dataFolder, { 'notes.txt': 'no script here\n' });
  try {
    await page.goto(app.url);
    await openExample(page);
    await chooseScript(page, 'relative/path');
    await expect(inspector(page).getByText(/needs an absolute path, not “relative\/path”/)).toBeVisible();
    await setField(page, 'Folder on this computer', join(folder, 'absent'));
    await expect(inspector(page).getByRole('alert')).toContainText('does not exist');
    await setField(page, 'Folder on this computer', folder);
    await expect(inspector(page).getByText('This folder has no Python file.')).toBeVisible();
    // 20 GB are refused here, before anything is prepared, with what is big; .ringlabignore is the remedy.
    await mkdir(join(folder, 'data'));
    await writeFile(join(folder, 'data', 'huge.bin'), '');
    await truncate(join(folder, 'data', 'huge.bin'), 20 * 1024 ** 3);
    await writeFile(join(folder, 'train.py'), '');
    await setField(page, 'Folder on this computer', `${folder}/`);
    await expect(inspector(page).getByRole('alert')).toContainText(/too large to send.*data\/ \(1, 20480/);
    await writeFile(join(folder, '.ringlabignore'), 'data\n');
    await setField(page, 'Folder on this computer', folder);
    await expect(inspector(page).getByText(/^Sent to the nodes: 3 files, \d+ B$/)).toBeVisible();
    await rm(join(folder, 'train.py'));
    await setField(page, 'Script', '../train.py');
    await expect(inspector(page).getByText(/must be a path below the script’s folder/)).toBeVisible();
    await setField(page, 'Script', 'train.py');
    await setField(page, 'Arguments', `--name 'a`);
    await expect(inspector(page).getByText(/a quote that is not closed: ' at character 8/)).toBeVisible();
    await more(page).click();
    await inspector(page).getByRole('button', { name: 'Add a variable' }).click();
    await setField(page, 'Variable 1', 'RANK');
    await expect(inspector(page).getByText(/RANK is set for each rank by Ringlab/)).toBeVisible();
    // A field with an error cannot be folded away.
    await more(page).click();
    await expect(inspector(page).getByLabel('Variable 1')).toBeVisible();
    await page.getByRole('button', { name: 'Run experiment' }).click();
    await page.getByRole('button', { name: /RANK is set for each rank/ }).click();
    await expect(inspector(page).getByLabel('Variable 1')).toBeFocused();
    await inspector(page).getByRole('button', { name: 'Remove variable RANK' }).click();
    await inspector(page).getByText('Git repository', { exact: true }).click();
    await setField(page, 'Address', 'ext::sh -c date');
    await expect(inspector(page).getByText(/is no address of a Git repository/)).toBeVisible();
    // Back to the folder: its path is still there.
    await inspector(page).getByText('Folder', { exact: true }).click();
    await expect(inspector(page).getByLabel('Folder on this computer')).toHaveValue(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a file of the folder is edited here; changes are neither lost nor written over others', async ({
  page,
  app,
  dataFolder,
  browser,
}, info) => {
  const folder = await newFolder(dataFolder, {
    'train.py': `"""Trains."""\nfor step in range(10):\n    print("loss:", 1 / (step + 1))  # falls\n`,
    'net.py': '# the net\r\nwidth = 8\r\n',
  });
  const onDisk = (file: string) => readFile(join(folder, file), 'utf8');
  try {
    await page.goto(app.url);
    await openExample(page);
    await chooseScript(page, folder);
    await inspector(page).getByRole('button', { name: 'Edit train.py' }).click();
    const editor = page.getByRole('dialog', { name: 'Code: train.py' });
    const text = editor.getByRole('textbox', { name: 'Text of train.py' });
    await expect(text).toBeFocused();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# mine\n');
    await expect(editor.getByText('Changed', { exact: true })).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: info.outputPath('editor-en-light.png') });
    await page.keyboard.press('Control+s');
    await expect(editor.getByText('Saved on this computer')).toBeVisible();
    expect(await onDisk('train.py')).toMatch(/^# mine\n"""Trains/);

    // Changed in another program meanwhile: said, nothing is written, and the user decides.
    await page.keyboard.type('# more\n');
    await writeFile(join(folder, 'train.py'), 'theirs = 1\n');
    await page.keyboard.press('Control+s');
    await expect(editor.getByRole('alert')).toContainText('was changed on disk while you edited it');
    expect(await onDisk('train.py')).toBe('theirs = 1\n');
    await editor.getByRole('button', { name: 'Save mine over it' }).click();
    await expect(editor.getByText('Saved on this computer')).toBeVisible();
    expect(await onDisk('train.py')).toMatch(/^# mine\n# more\n/);

    // Unsaved changes are asked about before they would be lost; another file's line breaks stay.
    await text.press('Control+Home');
    await page.keyboard.type('# lost\n');
    await editor.getByRole('button', { name: 'Close the editor' }).click();
    const question = editor.getByRole('alertdialog', { name: 'Unsaved changes' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await editor.getByRole('combobox', { name: 'File' }).click();
    await page.getByRole('option', { name: 'net.py' }).click();
    await question.getByRole('button', { name: 'Discard them' }).click();
    const other = page.getByRole('dialog', { name: 'Code: net.py' });
    await expect(other.getByRole('textbox', { name: 'Text of net.py' })).toContainText('the net');
    expect(await onDisk('train.py')).not.toContain('lost');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('depth = 2');
    await page.keyboard.press('Control+s');
    await expect(other.getByText('Saved on this computer')).toBeVisible();
    expect(await onDisk('net.py')).toBe('# the net\r\nwidth = 8\r\ndepth = 2');
    await page.keyboard.press('Escape');
    await expect(other).toBeHidden();

    const view = await pageOf(browser, 'zh-CN', 'dark');
    await view.goto(app.url);
    await view.locator('.react-flow__node').first().waitFor();
    await view.getByRole('complementary').getByRole('tab').nth(1).click();
    await view.getByRole('button', { name: '编辑 train.py' }).click();
    await expect(view.getByRole('textbox', { name: 'train.py 的文本' })).toBeFocused();
    expect(await violations(view)).toEqual([]);
    await view.screenshot({ path: info.outputPath('editor-zh-CN-dark.png') });
    await view.context().close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the example gives a copy of its script; a secret value is asked for before anything is prepared', async ({
  page,
  app,
  dataFolder,
}, info) => {
  await page.goto(app.url);
  await openExample(page);
  await opensLab(page, () => labMenu(page, 'Own script'));
  await showPage(page, 'Experiment');
  await expect(inspector(page).getByRole('combobox', { name: 'Script', exact: true })).toHaveValue(
    'digits_ddp.py',
  );
  const folder = await inspector(page).getByLabel('Folder on this computer').first().inputValue();
  expect(folder.startsWith(join(dataFolder, 'scripts'))).toBe(true);
  await inspector(page).getByRole('button', { name: 'Edit digits_ddp.py' }).click();
  const editor = page.getByRole('dialog', { name: 'Code: digits_ddp.py' });
  await expect(editor.getByRole('textbox')).toContainText('DistributedDataParallel');
  await page.keyboard.press('Escape');
  await expect(editor).toBeHidden();
  await inspector(page).getByRole('button', { name: 'Add a variable' }).click();
  await setField(page, 'Variable 1', 'HF_TOKEN');
  await inspector(page).getByRole('button', { name: 'Secret: HF_TOKEN' }).click();
  await page.getByRole('button', { name: 'Run experiment' }).click();
  const question = page.getByRole('dialog', { name: 'Value of HF_TOKEN' });
  await expect(question.getByLabel('Secret value')).toBeFocused();
  // It can be agreed to once it was there to be read; axe must not see the button change.
  await expect(question.getByRole('button', { name: 'Continue' })).toBeEnabled();
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: info.outputPath('question.png') });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await waitForState(page, 'failed');
  await expect(page.getByText(/HF_TOKEN/).first()).toBeVisible();
  for (const file of await readdir(join(dataFolder, 'labs')))
    if (file.endsWith('.lab.json'))
      expect(await readFile(join(dataFolder, 'labs', file), 'utf8')).not.toContain('"value"');
});
