/** What a user does wrong, or meets: each is said where they are looking, and nothing is lost. */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { startSshd } from '../src/main/ssh/testing/sshd.ts';
import { startApp } from './app-process.ts';
import { expect, pageOf, test } from './fixtures.ts';
import {
  boxAt,
  canvas,
  choose,
  drawNode,
  inspector,
  link,
  linkNodes,
  newLab,
  nodeCard,
  openExample,
  runExperiment,
  setField,
  showPage,
  smallRun,
  waitForState,
} from './pages/lab-page.ts';
import { drawSshNode, listening } from './pages/ssh-node.ts';

test('an empty lab does not run, and says why', async ({ page, app }) => {
  await page.goto(app.url);
  await newLab(page);
  await runExperiment(page);
  await expect(page.getByRole('button', { name: /The lab has no nodes/ })).toBeVisible();
});

test('a topology file of 50,000 nodes is refused, and the window goes on meanwhile', async ({
  page,
  app,
}, info) => {
  await page.goto(app.url);
  await newLab(page);
  const file = info.outputPath('large.clab.yml');
  const node = (index: number): string =>
    `    n${index}:\n      kind: linux\n      labels: { a: "${index}" }\n`;
  await writeFile(
    file,
    `topology:\n  nodes:\n${Array.from({ length: 50_000 }, (_, at) => node(at)).join('')}`,
  );
  await page.evaluate(() => {
    const turns = { count: 0 };
    Object.assign(globalThis, { turns });
    setInterval(() => (turns.count += 1), 20);
  });
  const turns = (): Promise<number> =>
    page.evaluate(() => (globalThis as unknown as { turns: { count: number } }).turns.count); // as it was put there
  await page.locator('input[type=file]').setInputFiles(file);
  const before = await turns();
  await expect(page.getByText(/50000, and 5000 is the limit/)).toBeVisible({ timeout: 30_000 });
  // Reading it takes seconds: a window that stood still would have had no turn.
  expect((await turns()) - before).toBeGreaterThan(10);
  await page.screenshot({ path: info.outputPath('refused.png') });
});

test('a node without a name, and two of one name', async ({ page, app }) => {
  await page.goto(app.url);
  await openExample(page);
  await nodeCard(page, 'N2').click();
  await setField(page, 'Name', 'N1');
  await runExperiment(page);
  await expect(page.getByRole('button', { name: /Two nodes are named “N1”/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await setField(page, 'Name', '');
  await runExperiment(page);
  await expect(page.getByRole('button', { name: /A node has no name/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await canvas(page).click({ position: { x: 15, y: 15 } });
  for (let undo = 0; undo < 2; undo += 1) await page.keyboard.press('Control+z');
  await expect(nodeCard(page, 'N2')).toBeVisible();
});

test('a link to itself is refused with a word', async ({ page, app }) => {
  await page.goto(app.url);
  await openExample(page);
  const card = await boxAt(nodeCard(page, 'N1'));
  await page.mouse.move(card.x + card.width, card.y + card.height / 2);
  await page.mouse.down();
  await page.mouse.move(card.x + card.width + 60, card.y - 40, { steps: 5 });
  await page.mouse.move(card.x + card.width / 2, card.y, { steps: 5 });
  await page.mouse.up();
  await expect(page.getByText('N1 cannot be linked to itself.')).toBeVisible();
  await expect(page.locator('.react-flow__edge')).toHaveCount(3);
});

test('a number that is none keeps the typed text and changes nothing', async ({ page, app, dataFolder }) => {
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  await setField(page, 'Epochs', 'many');
  await expect(inspector(page).getByText('This is not a number.')).toBeVisible();
  await expect(inspector(page).getByLabel('Epochs', { exact: true })).toHaveValue('many');
  const file = (await readdir(join(dataFolder, 'labs'))).find((name) => name.endsWith('.lab.json'));
  expect(await readFile(join(dataFolder, 'labs', file!), 'utf8')).toContain('"epochs": 6');
});

test('a drawing that no run can use says why where it was drawn', async ({ page, app }) => {
  await page.goto(app.url);
  await newLab(page);
  for (const [x, y] of [
    [0.2, 0.2],
    [0.7, 0.2],
    [0.2, 0.7],
    [0.7, 0.7],
  ] as const)
    await drawNode(page, 'CPU node', { x, y });
  await linkNodes(page, 'N1', 'N2', '10');
  await linkNodes(page, 'N3', 'N4', '10');
  await nodeCard(page, 'N3').click();
  await expect(inspector(page).getByText('N1 and N3 cannot reach each other')).toBeVisible();

  await link(page, 'N1', 'N2').click();
  for (const [typed, said] of [
    ['0', 'More than 0.'],
    ['-5', 'More than 0.'],
    ['fast', 'This is not a number.'],
  ] as const) {
    await setField(page, 'Bandwidth', typed);
    await expect(inspector(page).getByText(said)).toBeVisible();
    await expect(link(page, 'N1', 'N2')).toHaveAccessibleName(/10 Mbps/);
  }
  await showPage(page, 'Experiment');
  await choose(page, 'Synchronisation', 'Local steps');
  await setField(page, 'Local steps', '9999');
  await expect(
    inspector(page).getByText(/9999 local steps are more than the \d+ steps of an epoch/),
  ).toBeVisible();
});

test('50 MB of junk are no lab, and the open one stays', async ({ page, app, dataFolder }) => {
  const junk = join(dataFolder, 'junk.lab.json');
  await writeFile(junk, Buffer.alloc(50 * 1024 * 1024, 'x'));
  await page.goto(app.url);
  await openExample(page);
  await page.getByRole('button', { name: 'Lab menu' }).click();
  await page.locator('input[type=file]').setInputFiles(junk);
  await expect(page.getByText(/The lab file has \d+ bytes; the limit is/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(nodeCard(page, 'N1')).toBeVisible();
});

test('a host that refuses connections is named, with its port', async ({ page, app }) => {
  const closed = createServer();
  const port = await listening(closed);
  await new Promise((resolve) => closed.close(resolve));
  await page.goto(app.url);
  await drawSshNode(page, '127.0.0.1', port, 'Password');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(inspector(page).getByText(`127.0.0.1:${port} refuses connections.`).first()).toBeVisible();
});

test('fault 15: an address under a penalty: the wait is counted down, and then it gets in', async ({
  page,
  app,
}, info) => {
  const sshd = await startSshd({ extraConfig: ['PasswordAuthentication yes', 'PermitRootLogin yes'] });
  let knocks = 0;
  const narrow = createServer((socket) => {
    knocks += 1;
    if (knocks < 3) {
      socket.end('Not allowed at this time\r\n');
      return;
    }
    const far = connect(sshd.port);
    socket.pipe(far).pipe(socket);
    for (const each of [socket, far]) each.on('error', () => undefined);
  });
  try {
    const port = await listening(narrow);
    await page.goto(app.url);
    await drawSshNode(page, '127.0.0.1', port, 'Password');
    await page.getByRole('button', { name: 'Test connection' }).click();
    const wait = inspector(page).getByRole('timer');
    await expect(wait).toHaveText(/127\.0\.0\.1 is throttling connections; next try in [34] s/, {
      timeout: 10_000,
    });
    await page.screenshot({ path: info.outputPath('throttled.png') });
    await expect(wait).toHaveText(/next try in [12] s/);
    await expect(page.getByRole('dialog', { name: 'Trust this machine?' })).toContainText(
      sshd.hostKeyFingerprint,
    );
    await expect(wait).toBeHidden();
    expect(knocks).toBe(3);
  } finally {
    narrow.close();
    await sshd.stop();
  }
});

test('a wrong password: the key is shown first, one attempt, a clear word', async ({ page, app }) => {
  const sshd = await startSshd({ extraConfig: ['PasswordAuthentication yes', 'PermitRootLogin yes'] });
  try {
    await page.goto(app.url);
    await drawSshNode(page, sshd.host, sshd.port, 'Password');
    await page.getByRole('button', { name: 'Test connection' }).click();
    const trust = page.getByRole('dialog', { name: 'Trust this machine?' });
    await expect(trust).toContainText(sshd.hostKeyFingerprint);
    await trust.getByRole('button', { name: 'Trust' }).click();
    const ask = page.getByRole('dialog', { name: 'Password for N1' });
    await ask.getByLabel('Password', { exact: true }).fill('certainly wrong 错');
    await ask.getByRole('button', { name: 'Continue' }).click();
    await expect(
      inspector(page)
        .getByText(/refused the login of root \(password\)/)
        .first(),
    ).toBeVisible({ timeout: 30_000 });
  } finally {
    await sshd.stop();
  }
});

test('a data folder without classes: the run fails with the path, at the step, and the fields of fine-tuning keep what was typed', async ({
  page,
  app,
  browser,
  dataFolder,
}, info) => {
  const data = join(dataFolder, '空 data');
  await mkdir(join(data, 'train'), { recursive: true });
  await mkdir(join(data, 'val'));
  await writeFile(join(data, 'train', 'readme.txt'), 'no classes');
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  await choose(page, 'Data', 'Folder on every node');
  await setField(page, 'Folder path', data);
  // Fine-tuning, names in checkpoints, decoding: another window of the lab, in Chinese, shows them too.
  const weights = join(dataFolder, 'resnet18 权重.pth');
  await writeFile(weights, 'weights');
  await inspector(page).getByRole('button', { name: 'More training settings' }).click();
  await setField(page, 'Initial weights', weights);
  await setField(page, 'Backbone learning rate', '0.002');
  await setField(page, 'Frozen parameters', 'layer1,layer2.0');
  await choose(page, 'Frozen batch norm layers', 'Keep running statistics (eval mode)');
  await choose(page, 'Parameter names in checkpoints', 'As main.py’s: module. with several ranks');
  await choose(page, 'Decoding of large JPEGs', 'At 1/2, 1/4 or 1/8: faster, nearly PIL’s pixels');
  const chinese = await pageOf(browser, 'zh-CN', 'light');
  await chinese.goto(app.url);
  await chinese.locator('.react-flow__node').first().waitFor();
  await chinese.getByRole('complementary').getByRole('tab').nth(1).click();
  const names = chinese.getByRole('complementary').getByLabel('初始权重', { exact: true });
  await expect(names).toHaveValue(weights);
  await names.scrollIntoViewIfNeeded();
  await chinese.screenshot({ path: info.outputPath('fields-zh-CN.png') });
  await chinese.context().close();
  await runExperiment(page);
  await waitForState(page, 'failed');
  await expect(page.getByText(/has no class folders/).first()).toBeVisible();
  await expect(page.getByText(/空 data/).first()).toBeVisible();
});

test('a port in use: the next free one is taken and shown', async ({ page, app }) => {
  const taken = createServer();
  const port = await listening(taken);
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  await setField(page, 'Port', String(port));
  await smallRun(page, '1');
  await runExperiment(page);
  await nodeCard(page, 'N1').click();
  await expect(page.getByText(new RegExp(`\\(${port} in use\\)`)).first()).toBeVisible();
  await waitForState(page, 'finished');
  taken.close();
});

test('fault 36: a run of a newer version is told of, and its files stay as they are', async ({
  page,
  dataFolder,
}) => {
  const folder = join(dataFolder, 'runs', '20260101-120000-abcdef');
  await mkdir(folder, { recursive: true });
  const record = `${JSON.stringify({ version: 99, id: '20260101-120000-abcdef', somethingNew: true })}\n`;
  await writeFile(join(folder, 'run.json'), record);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await expect(page.getByRole('alert').filter({ hasText: /newer/ })).toBeVisible();
    // The rest works on.
    await openExample(page);
    expect(await readFile(join(folder, 'run.json'), 'utf8')).toBe(record);
    expect(await readdir(folder)).toEqual(['run.json']);
  } finally {
    await app.stop();
  }
});
