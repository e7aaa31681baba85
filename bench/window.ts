/**
 * Measures the window's own figures; the last line is one JSON object. With `--quick` each is measured once, and all of it
 * ends within ten minutes.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { project } from '../e2e/app-process.ts';
import { chromium as debian } from '../e2e/playwright.config.ts';
import { measureArrivals } from './arrivals.ts';
import { measureCanvas, type CanvasFrames } from './canvas-frames.ts';
import { measureLive } from './live-view.ts';
import { measureLongRun } from './long-run.ts';
import { median, quantile, report } from './measure.ts';
import { measureOpening } from './opening.ts';
import { measurePastRuns } from './past-runs.ts';

const points = 10_000_000;
const pastRuns = 1000;
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
const live = await measureLive(browser, 15);
const memory = await measureLongRun(browser);
const { table } = await measurePastRuns(browser, pastRuns, rounds + 1);
const { opened } = await measureOpening(browser, points, rounds);
await browser.close();
const all = canvas.map(({ allVisible }) => allVisible);
const sixty = canvas.map(({ sixtyVisible }) => sixtyVisible);
const bundle = bundleKb();
const growth = {
  page: memory.late.page / memory.early.page,
  main: memory.late.app.heap / memory.early.app.heap,
  process: memory.late.app.resident / memory.early.app.resident,
};
report('window', [
  { what: 'frames a second, 500 nodes in view', goal: '50', values: all, unit: '/s' },
  { what: 'frames a second, 60 of 500 nodes in view', goal: '50', values: sixty, unit: '/s' },
  { what: `open a run of ${points} points`, goal: '0.3 s', values: opened, unit: 's' },
  { what: 'arrival to paint', goal: 'p95 100 ms', values: arrivals, unit: 'ms' },
  { what: '64 live nodes, arrival to paint', goal: 'p95 100 ms', values: live.arrivalToPaint, unit: 'ms' },
  { what: "64 live nodes, the page's main thread", goal: '50 %', values: [100 * live.mainThread], unit: '%' },
  { what: 'memory after 8 h, of that after 10 min: page', goal: '1.2', values: [growth.page], unit: '×' },
  { what: "the same: the app's main thread", goal: '1.2', values: [growth.main], unit: '×' },
  { what: "the same: the app's process", goal: '1.2', values: [growth.process], unit: '×' },
  { what: `table of ${pastRuns} past runs`, goal: '0.5 s', values: table, unit: 's' },
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
    live_64_paint_p95_ms: round(quantile(live.arrivalToPaint, 0.95), 1),
    live_64_main_thread: round(live.mainThread, 2),
    memory_8h_page: round(growth.page, 2),
    memory_8h_app: round(growth.process, 2),
    open_1000_runs_seconds: round(median(table), 3),
  })}\n`,
);
