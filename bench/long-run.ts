/** Measures the memory use of a run of many hours: its lines are fed as fast as the app and the page accept them. */
import type { Browser, CDPSession, Page } from '@playwright/test';
import { newDataFolder, removeDataFolder } from '../e2e/app-process.ts';
import { startLiveApp, type AppMemory, type LiveApp } from './live-app.ts';
import { openLive } from './live-view.ts';

/** Nodes with a rank each, and the run's age in seconds at both measurements: ten minutes, and eight hours. */
const usual = { nodes: 3, early: 600, late: 8 * 3600 };
/** Simulated seconds that are fed at a time, with a step and a sample each. */
const stride = 20;

/** Hours of garbage arise in seconds here: V8 collects small amounts, as it would have time to in a real run. */
const collectsOften = ['--heap-growing-percent=10', '--max-semi-space-size=2'];

export interface Memory {
  readonly app: AppMemory;
  /** Bytes of JavaScript in use in the page after a garbage collection. */
  readonly page: number;
}

export async function measureLongRun(browser: Browser, of = usual): Promise<{ early: Memory; late: Memory }> {
  const folder = await newDataFolder();
  const app = await startLiveApp(folder, of.nodes, collectsOften);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  await openLive(page, app);
  const devtools = await page.context().newCDPSession(page);
  const first = await feedUntil(app, page, 1, of.early);
  const early = await memoryOf(app, devtools);
  await feedUntil(app, page, first, of.late);
  const late = await memoryOf(app, devtools);
  await page.close();
  await app.close();
  await removeDataFolder(folder);
  return { early, late };
}

async function feedUntil(app: LiveApp, page: Page, from: number, seconds: number): Promise<number> {
  let step = from;
  while (step < seconds) {
    const count = Math.min(stride, seconds - step);
    const first = app.startedAt + step;
    step = await app.feed(Array.from({ length: count }, (_, index) => first + index));
    // Waits for the page: data in the socket is not in its memory yet.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
  }
  await page.waitForTimeout(1500);
  return step;
}

async function memoryOf(app: LiveApp, devtools: CDPSession): Promise<Memory> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return { page: usedSize, app: await app.memory() };
}
