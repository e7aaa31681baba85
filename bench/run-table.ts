/** Measures the opening of the table of 1,000 past runs (or the given number). */
import { chromium } from '@playwright/test';
import { chromium as debian } from '../e2e/playwright.config.ts';
import { report } from './measure.ts';
import { measurePastRuns } from './past-runs.ts';

const count = Number(process.argv[2] ?? 1000);
const browser = await chromium.launch(debian);
const { table, window } = await measurePastRuns(browser, count, 9);
await browser.close();
report('run-table', [
  {
    what: `table of ${count} past runs, click to painted`,
    goal: '0.5 s',
    values: table,
    unit: 's',
  },
  {
    what: `window with ${count} past runs, address to its first chart`,
    goal: '',
    values: window,
    unit: 's',
  },
]);
