/**
 * Measures the window and the app with a run of 256 ranks, each with a step and a sample a second: by simulation, the lines
 * come from here. Argument: seconds of the live measurement (15).
 */
import { chromium } from '@playwright/test';
import { chromium as debian } from '../e2e/playwright.config.ts';
import { measureLive } from './live-view.ts';
import { measureLongRun } from './long-run.ts';
import { report } from './measure.ts';

const ranks = 256;
const seconds = Number(process.argv[2] ?? 15);

const browser = await chromium.launch(debian);
const live = await measureLive(browser, seconds, { nodes: ranks, everyMs: 1000 });
const memory = await measureLongRun(browser, { nodes: ranks, early: 60, late: 300 });
await browser.close();
const { early, late } = memory;
report('cluster-ranks', [
  { what: `${ranks} ranks, arrival to paint`, goal: 'p95 100 ms', values: live.arrivalToPaint, unit: 'ms' },
  {
    what: `${ranks} ranks, the page's main thread`,
    goal: '50 %',
    values: [100 * live.mainThread],
    unit: '%',
  },
  {
    what: 'memory after 5 min, of that after 1 min: page',
    goal: '1.5',
    values: [late.page / early.page],
    unit: '×',
  },
  {
    what: "the same: the app's main thread",
    goal: '1.5',
    values: [late.app.heap / early.app.heap],
    unit: '×',
  },
  {
    what: "the same: the app's process",
    goal: '1.5',
    values: [late.app.resident / early.app.resident],
    unit: '×',
  },
  { what: "the app's process", goal: '', values: [late.app.resident / 1e6], unit: 'MB' },
  { what: 'the page', goal: '', values: [late.page / 1e6], unit: 'MB' },
]);
