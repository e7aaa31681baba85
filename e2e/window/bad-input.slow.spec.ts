/** Invalid input and failures: each is reported at its place, and nothing is lost. */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { startSshd } from '../../src/main/ssh/testing/sshd.ts';
import { newDataFolder, removeDataFolder, startApp } from '../app-process.ts';
import {
  boxAt,
  canvas,
  choose,
  drawNode,
  importLab,
  inspector,
  link,
  linkNodes,
  newLab,
  nodeCard,
  selectNode,
  runExperiment,
  setField,
  showPage,
  threeLocalNodes,
} from '../pages/lab-page.ts';
import { drawSshNode, listening } from '../pages/ssh-node.ts';
import { expect, test } from '../shared-app.ts';

test.beforeEach(async ({ page, app }) => {
  await page.goto(app.url);
});

test('an empty lab does not run, and the reason is shown', async ({ page }) => {
  await newLab(page);
  await runExperiment(page);
  await expect(page.getByRole('button', { name: /The lab has no nodes/ })).toBeVisible();
});

test('a warning at a field does not look like an error, and the run may start', async ({ page }) => {
  await newLab(page);
  await drawNode(page, 'CPU node', { x: 0.4, y: 0.4 });
  await showPage(page, 'Experiment');
  await setField(page, 'Training images', '84');
  await setField(page, 'Batch size', '100000');
  const size = inspector(page).getByLabel('Batch size', { exact: true });
  const hint = inspector(page).getByText('A batch of 100000 is larger than the 84 training images');
  await expect(hint).toBeVisible();
  await setField(page, 'Batch size', '-1');
  const wrong = inspector(page).locator('[data-error]');
  await expect(wrong.first()).toBeVisible();
  const red = await size.evaluate((field) => getComputedStyle(field).color);
  await setField(page, 'Batch size', '100000');
  await expect(hint).toBeVisible();
  await expect(wrong).toHaveCount(0);
  await expect(size).not.toHaveCSS('color', red);
  await expect(hint).not.toHaveCSS('color', red);
});

test('a topology file of 50,000 nodes is refused, and the window stays responsive', async ({
  page,
}, info) => {
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
    page.evaluate(() => (globalThis as unknown as { turns: { count: number } }).turns.count); // set above
  await importLab(page, file);
  const before = await turns();
  await expect(page.getByText(/50000, and 5000 is the limit/)).toBeVisible({ timeout: 30_000 });
  // Parsing takes seconds: a blocked window would have counted no turns.
  expect((await turns()) - before).toBeGreaterThan(10);
  await page.screenshot({ path: info.outputPath('refused.png') });
});

test('a node without a name, and two of one name', async ({ page }) => {
  await threeLocalNodes(page);
  await selectNode(page, 'N2');
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

test('a link to itself is refused with a message', async ({ page }) => {
  await threeLocalNodes(page);
  const card = await boxAt(nodeCard(page, 'N1'));
  await page.mouse.move(card.x + card.width, card.y + card.height / 2);
  await page.mouse.down();
  await page.mouse.move(card.x + card.width + 60, card.y - 40, { steps: 5 });
  await page.mouse.move(card.x + card.width / 2, card.y, { steps: 5 });
  await page.mouse.up();
  await expect(page.getByText('N1 cannot be linked to itself.')).toBeVisible();
  await expect(page.locator('.react-flow__edge')).toHaveCount(3);
});

test('an invalid number keeps the typed text and changes nothing', async ({ page, home }) => {
  await threeLocalNodes(page);
  await showPage(page, 'Experiment');
  await setField(page, 'Epochs', 'many');
  await expect(inspector(page).getByText('This is not a number.')).toBeVisible();
  await expect(inspector(page).getByLabel('Epochs', { exact: true })).toHaveValue('many');
  const lab = (await canvas(page).getAttribute('data-lab')) ?? '';
  const file = join(home, 'data', 'labs', `${lab}.lab.json`);
  expect(await readFile(file, 'utf8')).toContain('"epochs": 6');
});

test('a lab that cannot run shows the reason at the invalid part', async ({ page }) => {
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
  for (const [typed, message] of [
    ['0', 'More than 0.'],
    ['-5', 'More than 0.'],
    ['fast', 'This is not a number.'],
  ] as const) {
    await setField(page, 'Bandwidth', typed);
    await expect(inspector(page).getByText(message)).toBeVisible();
    await expect(link(page, 'N1', 'N2')).toHaveAccessibleName(/10 Mbps/);
  }
  await showPage(page, 'Experiment');
  await choose(page, 'Synchronisation', 'Local steps');
  await setField(page, 'Local steps', '9999');
  await expect(
    inspector(page).getByText(/9999 local steps are more than the \d+ steps of an epoch/),
  ).toBeVisible();
});

test('50 MB of random data are refused as a lab, and the open one stays', async ({ page, home }) => {
  const junk = join(home, 'junk.lab.json');
  await writeFile(junk, Buffer.alloc(50 * 1024 * 1024, 'x'));
  await threeLocalNodes(page);
  await importLab(page, junk);
  await expect(page.getByText(/The lab file has [\d.]+ MB; the limit is/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(nodeCard(page, 'N1')).toBeVisible();
});

test('a host that refuses connections is named, with its port', async ({ page }) => {
  const closed = createServer();
  const port = await listening(closed);
  await new Promise((resolve) => closed.close(resolve));
  await drawSshNode(page, '127.0.0.1', port, 'Password');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(inspector(page).getByText(`127.0.0.1:${port} refuses connections.`).first()).toBeVisible();
});

test('fault 15: for an address under a penalty the wait is counted down, and then it connects', async ({
  page,
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

test('a wrong password: host key first, one attempt, a clear message', async ({ page }) => {
  const sshd = await startSshd({ extraConfig: ['PasswordAuthentication yes', 'PermitRootLogin yes'] });
  try {
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

test('fault 36: a run of a newer version is reported, and its files stay as they are', async ({ page }) => {
  const dataFolder = await newDataFolder();
  const folder = join(dataFolder, 'runs', '20260101-120000-abcdef');
  await mkdir(folder, { recursive: true });
  const record = `${JSON.stringify({ version: 99, id: '20260101-120000-abcdef', somethingNew: true })}\n`;
  await writeFile(join(folder, 'run.json'), record);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await expect(page.getByRole('alert').filter({ hasText: /newer/ })).toBeVisible();
    // Everything else still works.
    await threeLocalNodes(page);
    expect(await readFile(join(folder, 'run.json'), 'utf8')).toBe(record);
    expect(await readdir(folder)).toEqual(['run.json']);
  } finally {
    await app.stop();
    await removeDataFolder(dataFolder);
  }
});
