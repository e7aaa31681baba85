/**
 * The window's own figures; the last line is one JSON object. With `--quick` each is measured once, and all of it ends
 * within ten minutes.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { project } from '../e2e/app-process.ts';
import { chromium as debian } from '../e2e/playwright.config.ts';
import { measureArrivals } from './arrivals.ts';
import { measureCanvas, type CanvasFrames } from './canvas-frames.ts';
import { median, quantile, report } from './measure.ts';
import { measureOpening } from './opening.ts';

const points = 10_000_000;
const rounds = process.argv.includes('--quick') ? 1 : 5;

/** Everything that the page may load, uncompressed. */
function bundleKb(): number {
  const folder = join(project, 'dist', 'renderer', 'assets');
  const files = readdirSync(folder).filter((name) => /\.(js|css)$/.test(name));
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1024;
}

const browser = await chromium.launch(debian);
const canvas: CanvasFrames[] = [];
for (let round = 0; round < rounds; round += 1) canvas.push(await measureCanvas(browser));
const arrivals = await measureArrivals(browser, 1);
const { opened } = await measureOpening(browser, points, rounds);
await browser.close();
const all = canvas.map(({ allVisible }) => allVisible);
const sixty = canvas.map(({ sixtyVisible }) => sixtyVisible);
const bundle = bundleKb();
report('window', [
  { what: 'frames a second, 500 nodes in view', goal: '50', values: all, unit: '/s' },
  { what: 'frames a second, 60 of 500 nodes in view', goal: '50', values: sixty, unit: '/s' },
  { what: `open a run of ${points} points`, goal: '0.3 s', values: opened, unit: 's' },
  { what: 'arrival to paint', goal: 'p95 100 ms', values: arrivals, unit: 'ms' },
  { what: 'bundle', goal: '', values: [bundle], unit: 'kB' },
]);
const round = (value: number, digits: number): number => Number(value.toFixed(digits));
process.stdout.write(
  `${JSON.stringify({
    renderer: canvas[0]?.renderer,
    canvas_fps: round(median(all), 1),
    canvas_fps_60_visible: round(median(sixty), 1),
    open_10m_points_seconds: round(median(opened), 3),
    arrival_to_paint_p95_ms: round(quantile(arrivals, 0.95), 1),
    bundle_kb: round(bundle, 0),
  })}\n`,
);
