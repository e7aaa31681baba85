/**
 * Measures the opening of a run with many scalars: in the store (the list of its names, and the curves that one view
 * shows), and in the window, from the click to the painted curves, each for the first time since the app's start. 1,000
 * names and 1,000,000 points by default (`-- 10000000`).
 */
import { chromium } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp } from '../e2e/app-process.ts';
import { chromium as debian } from '../e2e/playwright.config.ts';
import { storedLab, storeRuns } from '../e2e/stored-runs.ts';
import { openStore } from '../src/main/store/index.ts';
import { scalarField, scalarKind } from '../src/shared/run/run-outputs.ts';
import { repeat, report, seconds } from './measure.ts';
import { openingOf } from './opening.ts';
import { scalarOf, storeScalars } from './scalar-run.ts';

const points = Number(process.argv[2] ?? 1_000_000);
const names = 1000;
/** As many cards as a large window shows, and the points of each. */
const cards = 12;
const maxPoints = 256;
/** The window is complete with so many curves at least, and without any that waits for its points. */
const curves = 3;

const folder = await newDataFolder();
const script = { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: '' } as const;
const [runId = ''] = await storeRuns(folder, storedLab(1), [
  { name: 'scalars', experiment: { script }, lines: () => [] },
  { name: 'small run' },
]);
const first = await openStore(folder);
const stored = await seconds(async () => {
  await storeScalars(first.store, runId, { names, points, start: Date.now() / 1000 - 86_400 });
  await first.store.close();
});
const listed: number[] = [];
const drawn: number[] = [];
const opened = await repeat(5, async () => {
  const { store } = await openStore(folder);
  const list = await seconds(async () => {
    const found = await store.catalogue(runId);
    if (found.length !== names) throw new Error(`${found.length} names instead of ${names}`);
  });
  const draw = await seconds(async () => {
    await Promise.all(
      Array.from({ length: cards }, async (_, card) => {
        const key = { source: 'rank-0', kind: scalarKind, field: scalarField(scalarOf(card * 20)) };
        const [series] = await store.series({ runId, series: [key], x: 'step', maxPoints });
        if (series?.total !== Math.floor(points / names)) throw new Error('points are missing');
      }),
    );
  });
  listed.push(list);
  drawn.push(draw);
  await store.close();
  return list + draw;
});
const browser = await chromium.launch(debian);
const shown = await repeat(5, async () => {
  const app = await startApp(folder);
  try {
    return await openingOf(browser, app.url, { name: 'scalars', chart: scalarField(''), min: curves });
  } finally {
    await app.stop();
  }
});
await browser.close();
await removeDataFolder(folder);
report('open-scalars', [
  { what: `in the window: ${names} names of ${points} points`, goal: '1 s', values: shown, unit: 's' },
  { what: `${names} names and ${cards} curves of ${points} points`, goal: '1 s', values: opened, unit: 's' },
  { what: `the ${names} names`, goal: '', values: listed, unit: 's' },
  { what: `${cards} curves`, goal: '', values: drawn, unit: 's' },
  { what: `store ${points} points`, goal: '', values: [stored], unit: 's' },
]);
