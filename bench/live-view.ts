/** Measures a live run of many nodes: from the message's arrival in the page to the paint, and the page's CPU use. */
import type { Browser, CDPSession, Page } from '@playwright/test';
import { newDataFolder, removeDataFolder } from '../e2e/app-process.ts';
import { openRunByName, paintStamps, stampPaints } from '../e2e/pages/runs-page.ts';
import { startLiveApp, type LiveApp } from './live-app.ts';

const usual = { nodes: 64, everyMs: 100 };
const settlingMs = 3000;

declare global {
  interface Window {
    /** Unix seconds of the first message with a step, by step. */
    ringlabArrivals?: Map<number, number>;
  }
}

export interface LiveFigures {
  /** Milliseconds for each step. */
  readonly arrivalToPaint: number[];
  /** CPU use of the page's main thread: 1 is one core. */
  readonly mainThread: number;
}

/**
 * @param seconds the length of the measurement
 * @param of how many nodes, with a rank each, and the milliseconds between their steps
 */
export async function measureLive(
  browser: Browser,
  seconds: number,
  { nodes, everyMs } = usual,
): Promise<LiveFigures> {
  const folder = await newDataFolder();
  const app = await startLiveApp(folder, nodes);
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 }, locale: 'en-US' });
  await page.addInitScript(stampArrivals);
  await openLive(page, app);
  await app.stream(everyMs);
  await page.getByRole('toolbar').getByText('Step', { exact: true }).click();
  await page.waitForTimeout(settlingMs);
  await stampPaints(page, 'Loss');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const before = await busySeconds(devtools);
  await page.waitForTimeout(seconds * 1000);
  const after = await busySeconds(devtools);
  const painted = await paintStamps(page);
  const steps = [...painted.keys()];
  const rate = (Math.max(...steps) - Math.min(...steps)) / (after.at - before.at);
  if (rate < 0.8 * (1000 / everyMs)) throw new Error(`only ${rate.toFixed(1)} samples a second arrived`);
  const arrived = new Map(await page.evaluate(() => [...(window.ringlabArrivals ?? [])]));
  await page.close();
  await app.close();
  await removeDataFolder(folder);
  const arrivalToPaint = [...painted].slice(1).flatMap(([step, at]) => {
    const t = arrived.get(step);
    return t === undefined ? [] : [(at - t) * 1000];
  });
  return { arrivalToPaint, mainThread: (after.busy - before.busy) / (after.at - before.at) };
}

export async function openLive(page: Page, app: LiveApp): Promise<void> {
  await app.feed([app.startedAt]);
  await page.goto(app.url);
  await openRunByName(page, app.runName);
  await page.getByRole('button', { name: 'Fill the window' }).click();
}

/** CPU seconds that the page's main thread has used, and when that was read. */
async function busySeconds(devtools: CDPSession): Promise<{ busy: number; at: number }> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (name: string): number => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return { busy: of('ThreadTime'), at: of('Timestamp') };
}

/** In the page, before the app's own code: records when the first message with each step arrives. */
function stampArrivals(): void {
  const arrivals = (window.ringlabArrivals = new Map());
  const Original = window.WebSocket;
  window.WebSocket = class extends Original {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }) => {
        const text = String(data);
        // The newest step of a batch is last, once for each rank.
        const step = Number(/^\d+/.exec(text.slice(text.lastIndexOf('"step":') + 7))?.[0] ?? Number.NaN);
        if (text.includes('run.points') && !arrivals.has(step)) arrivals.set(step, Date.now() / 1000);
      });
    }
  };
}
