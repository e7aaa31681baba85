/** Measures the time from a metric's write on the node to its pixels, with one node training and with three. */
import { chromium } from '@playwright/test';
import { chromium as debian } from '../e2e/playwright.config.ts';
import { measureArrivals } from './arrivals.ts';
import { report } from './measure.ts';

const browser = await chromium.launch(debian);
const one = await measureArrivals(browser, 1);
const three = await measureArrivals(browser, 3);
await browser.close();
report('metric-to-pixels', [
  { what: 'written to painted, one node training', goal: 'p95 100 ms', values: one, unit: 'ms' },
  { what: 'written to painted, three nodes on two cores', goal: '', values: three, unit: 'ms' },
]);
