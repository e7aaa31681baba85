/** The Electron host on a fake of the `electron` module: real host, real preload, real renderer. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newDataFolder, removeDataFolder } from '../app-process.ts';
import { expect, test } from '@playwright/test';
import { firstJob, sizeOf } from '../electron/first-job.ts';
import { openExample, runExperiment, smallRun, waitForState } from '../pages/lab-page.ts';
import { startStandIn, type StandInApp } from './standin-app.ts';

// The browser belongs to the host: it has exited before a trace could be saved.
test.use({ trace: 'off' });

let dataFolder: string;
let app: StandInApp;
test.beforeEach(async () => {
  dataFolder = await newDataFolder();
  app = await startStandIn(dataFolder);
});
test.afterEach(async () => {
  const code = await app.quit();
  await removeDataFolder(dataFolder);
  expect(code, app.errors()).toBe(0);
});

test('the window is sandboxed, isolated and on a protocol of its own', async () => {
  const window = await app.reported(({ what }) => what === 'window');
  expect(window).toMatchObject({
    options: {
      webPreferences: { contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true },
    },
    privileges: [{ scheme: 'ringlab', privileges: { standard: true, secure: true } }],
  });
  // A scheme that may bypass the CSP, or be used by service workers, would be a security hole.
  expect(JSON.stringify(window)).not.toMatch(/bypassCSP|allowServiceWorkers|webviewTag/);
  await openExample(app.page);
  const found = await app.page.evaluate(() => ({
    bridge: Object.keys((window as unknown as { ringlab: object }).ringlab).sort(),
    frozen: Object.isFrozen((window as unknown as { ringlab: object }).ringlab),
    node: ['require', 'process', 'module', 'Buffer'].filter((name) => name in window),
  }));
  expect(found).toEqual({ bridge: ['onMessage', 'send'], frozen: true, node: [] });
});

test('the page’s policy stops inline scripts, eval and other hosts', async () => {
  await openExample(app.page);
  const blocked = await app.page.evaluate(async () => {
    const inline = document.createElement('script');
    inline.textContent = 'window.inlineRan = true';
    document.head.append(inline);
    const reached = await fetch('https://example.org/').then(
      () => true,
      () => false,
    );
    return { inline: !('inlineRan' in window), reached };
  });
  expect(blocked).toEqual({ inline: true, reached: false });
});

test('a user runs the example and exports the model', async ({}, info) => {
  test.setTimeout(240_000);
  const target = info.outputPath('mine.pth.tar');
  await firstJob(app.page, () => app.order({ order: 'save-to', path: target }));
  await expect.poll(() => sizeOf(target)).toBeGreaterThan(2_000_000);
  await app.reported((report) => report.what === 'notification' && report.title.startsWith('Ringlab'));
});

test('fault 40: a message from a foreign frame, or one that is malformed, changes nothing', async () => {
  await openExample(app.page);
  const request = { type: 'request', id: 999_999, name: 'lab.list', args: {} };
  app.order({ order: 'send-from', url: 'https://example.org/', message: request });
  await expect.poll(() => app.errors()).toContain('refused a message from https://example.org/');
  const answer = await app.page.evaluate(
    () =>
      new Promise((resolve) => {
        const { ringlab } = window as unknown as {
          ringlab: { send(message: unknown): void; onMessage(listener: (message: unknown) => void): void };
        };
        const answers: unknown[] = [];
        ringlab.onMessage((message) => {
          answers.push(message);
          if ((message as { id?: number }).id === 77) resolve(message);
        });
        ringlab.send({ nonsense: true });
        ringlab.send({ type: 'request', id: 77, name: 'run.start', args: { labId: 7 } });
      }),
  );
  expect(answer).toMatchObject({ type: 'failure', id: 77, error: { code: 'bad_request' } });
  await app.page.reload();
  await openExample(app.page);
});

test('navigation, windows, permissions: denied; an https link goes to the user’s browser', async () => {
  await openExample(app.page);
  await app.page.evaluate(() => {
    location.href = 'https://example.org/';
  });
  expect(await app.reported(({ what }) => what === 'navigation')).toMatchObject({
    url: 'https://example.org/',
    allowed: false,
  });
  await app.page.evaluate(() => {
    window.open('https://example.org/paper');
    window.open('file:///etc/passwd');
  });
  expect(await app.reported(({ what }) => what === 'outside')).toEqual({
    what: 'outside',
    url: 'https://example.org/paper',
  });
  await app.reported((report) => report.what === 'open' && report.url === 'file:///etc/passwd');
  expect(app.reports.filter(({ what }) => what === 'open')).toEqual([
    { what: 'open', url: 'https://example.org/paper', action: 'deny' },
    { what: 'open', url: 'file:///etc/passwd', action: 'deny' },
  ]);
  expect(app.reports.filter(({ what }) => what === 'outside')).toHaveLength(1);
  for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read']) {
    app.order({ order: 'ask-permission', permission });
    expect(
      await app.reported((report) => report.what === 'permission' && report.permission === permission),
    ).toEqual({
      what: 'permission',
      permission,
      asked: false,
      checked: false,
    });
  }
});

test('after a restart the window has its old position and content', async () => {
  await openExample(app.page);
  await expect.poll(() => app.page.locator('.react-flow__node').count()).toBe(3);
  expect(await app.quit()).toBe(0);
  expect(JSON.parse(await readFile(join(dataFolder, 'window.json'), 'utf8'))).toMatchObject({
    bounds: { width: 1280, height: 800 },
  });
  app = await startStandIn(dataFolder);
  await openExample(app.page);
});

test('closing the window during a run asks: keep running continues it, stop leaves a checkpoint', async () => {
  test.setTimeout(300_000);
  await openExample(app.page);
  await smallRun(app.page, '2000');
  await runExperiment(app.page);
  await waitForState(app.page, 'running', 180_000);
  app.order({ order: 'press', button: 0 });
  expect(await app.quit()).toBe(0);
  expect(await app.reported(({ what }) => what === 'question')).toMatchObject({
    message: 'Training is under way',
    buttons: ['Keep it running', 'Stop it at a checkpoint', 'Cancel'],
  });
  app = await startStandIn(dataFolder);
  // Its lab is opened again with its active run: there is a button to stop it, and none to run it.
  await waitForState(app.page, 'running', 60_000);
  app.order({ order: 'press', button: 1 });
  expect(await app.quit()).toBe(0);
  app = await startStandIn(dataFolder);
  await openExample(app.page);
  await waitForState(app.page, 'stopped', 60_000);
});
