/** Measures how long a stored run takes to open: from the click on it in the list to the paint of its curves. */
import type { Browser } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp } from '../e2e/app-process.ts';
import { openedRun, openRunByName } from '../e2e/pages/runs-page.ts';
import { writeLargeRun } from './large-run.ts';
import { repeat } from './measure.ts';

/** Seconds of each opening, and of storing the run before. The app and a page have another run open. */
export async function measureOpening(
  browser: Browser,
  points: number,
  rounds: number,
): Promise<{ opened: number[]; stored: number }> {
  const folder = await newDataFolder();
  const stored = await writeLargeRun(folder, points);
  const app = await startApp(folder);
  const opened = await repeat(rounds, () =>
    openingOf(browser, app.url, { name: 'large run', chart: 'loss', min: 1 }),
  );
  await app.stop();
  await removeDataFolder(folder);
  return { opened, stored };
}

/** Which run is opened, and when it is complete: at least `min` charts whose name begins with `chart` have their points. */
export interface Opening {
  readonly name: string;
  readonly chart: string;
  readonly min: number;
}

/** Seconds of one opening, in a page of its own where the run 'small run' is open. */
export async function openingOf(browser: Browser, url: string, opening: Opening): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1920, height: 1080 }, locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(url);
  await openRunByName(page, 'small run');
  await openedRun(page, 'small run', 'Loss');
  await page.evaluate(noteOpening, opening);
  await openRunByName(page, opening.name);
  const took = await page.evaluate(() => window.ringlabOpening);
  if (took === undefined) throw new Error('nothing was clicked');
  await context.close();
  return took;
}

declare global {
  interface Window {
    /** Seconds from the click. */
    ringlabOpening?: Promise<number>;
  }
}

/** In the page: from the next click to the frame in which the run's facts and all of its charts are on the screen. */
function noteOpening({ name, chart: begins, min }: Opening): void {
  window.ringlabOpening = new Promise((resolve) => {
    document.addEventListener(
      'click',
      () => {
        const begin = performance.now();
        const isComplete = (): boolean => {
          const charts = [...document.querySelectorAll('figure[data-chart]')];
          const drawn = charts.filter(
            (chart) =>
              chart.getAttribute('data-chart')?.startsWith(begins) === true &&
              Number(chart.getAttribute('data-points')) > 10,
          );
          return (
            document.querySelector(`[aria-label="Run ${name}"]`) !== null &&
            drawn.length >= min &&
            charts.every((chart) => chart.getAttribute('aria-busy') === 'false')
          );
        };
        const look = (): void => {
          if (!isComplete()) requestAnimationFrame(look);
          // The second next callback runs when the frame with the curves is on the screen.
          else requestAnimationFrame(() => resolve((performance.now() - begin) / 1000));
        };
        requestAnimationFrame(look);
      },
      { capture: true, once: true },
    );
  });
}
