/** Measures the opening of a run with many points: 1,000,000 by default (`-- 10000000`). */
import { chromium } from '@playwright/test';
import { chromium as debian } from '../e2e/playwright.config.ts';
import { report } from './measure.ts';
import { measureOpening } from './opening.ts';

const points = Number(process.argv[2] ?? 1_000_000);
const browser = await chromium.launch(debian);
const { opened, stored } = await measureOpening(browser, points, 7);
await browser.close();
report('open-run', [
  { what: `open a run of ${points} points`, goal: '1 s', values: opened, unit: 's' },
  { what: `store ${points} points`, goal: '', values: [stored], unit: 's' },
]);
