/** Actions on a run: charts, logs, export. */
import { expect, type Locator, type Page, type TestInfo } from '@playwright/test';
import { boxAt } from './lab-page.ts';

export const chart = (page: Page, title: string): Locator =>
  page.locator(`figure[data-chart]`).filter({ has: page.getByRole('heading', { name: title, exact: true }) });

export interface Plot {
  readonly left: number;
  readonly width: number;
  readonly height: number;
  /** A point at a share of the x axis, at half the plot's height. */
  at(share: number): [number, number];
}

/** The plot area of a chart on the page, without its axis labels. */
export async function plotOf(figure: Locator): Promise<Plot> {
  const cursor = figure.getByRole('slider');
  await cursor.scrollIntoViewIfNeeded();
  const box = await boxAt(cursor);
  const [left, width] = [box.x + 56, box.width - 68];
  return {
    left,
    width,
    height: box.height - 26,
    at: (share) => [left + share * width, box.y + box.height / 2],
  };
}

/** Drags over the plot, from one share of its x axis to another: without a key it zooms there. */
export async function dragAlong(
  page: Page,
  { at }: Pick<Plot, 'at'>,
  from: number,
  to: number,
): Promise<void> {
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 4 });
  await page.mouse.up();
}

/** Exports a chart from its menu; returns the file's path. */
export async function exportChart(
  page: Page,
  figure: Locator,
  title: string,
  entry: string,
  info: TestInfo,
): Promise<string> {
  await figure.getByRole('button', { name: `Export ${title}` }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: entry }).click();
  const path = info.outputPath((await download).suggestedFilename());
  await (await download).saveAs(path);
  return path;
}

/** The run's newest step, counted from 0, from its header; -1 before the first. */
export async function lastStep(page: Page): Promise<number> {
  const facts = page.getByRole('list', { name: /^Run / });
  const text = (await facts.count()) === 0 ? '' : await facts.innerText();
  return Number(/Step ([\d,]+)/.exec(text)?.[1]?.replaceAll(',', '') ?? 0) - 1;
}

export const runView = (
  page: Page,
  tab: 'Charts' | 'Utilisation' | 'Ranks' | 'Logs' | 'Preparation',
): Promise<void> => page.getByRole('tab', { name: tab, exact: true }).click();

/** Opens a rank's log and waits for a line in it. */
export async function rankLog(page: Page, rank: number, text: RegExp): Promise<void> {
  await runView(page, 'Logs');
  await page.locator(`[data-log-rank="${rank}"]`).click();
  await expect(page.getByRole('log', { name: `Log of rank ${rank}` })).toContainText(text);
  await runView(page, 'Charts');
}

/** Presses an export button and returns the downloaded file. */
export async function exportArtifact(page: Page, button: string, path: string): Promise<void> {
  const download = page.waitForEvent('download', { timeout: 60_000 });
  await page.getByRole('button', { name: button }).click();
  await (await download).saveAs(path);
}

/** The cells of a row in the comparison table, one for each run. */
export const comparedCells = (page: Page, label: string): Locator =>
  page
    .getByRole('table', { name: 'Results and settings' })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: label, exact: true }) })
    .getByRole('cell');

/** Chooses a run from the list by its name; opens the list first if it is hidden. */
export async function openRunByName(page: Page, name: string): Promise<void> {
  const entry = page.getByRole('navigation', { name: 'Runs of this lab' }).getByRole('button', { name });
  const show = page.getByRole('button', { name: 'Show the list of runs' });
  await entry.or(show).first().waitFor();
  if (!(await entry.isVisible())) await show.click();
  await entry.click();
}

/** Waits until a run's facts are shown and one of its charts has a curve. */
export async function openedRun(page: Page, name: string, title: string): Promise<void> {
  await page.getByRole('list', { name: `Run ${name}` }).waitFor();
  await page.waitForFunction((expectedTitle) => {
    const figure = [...document.querySelectorAll('figure[data-chart]')].find(
      (found) => found.querySelector('h3')?.textContent === expectedTitle,
    );
    return figure?.getAttribute('aria-busy') === 'false' && Number(figure.getAttribute('data-points')) > 10;
  }, title);
}

declare global {
  interface Window {
    ringlabPaints?: [step: number, unixSeconds: number][];
  }
}

/** Records from now on when each step is painted in a chart over steps. */
export async function stampPaints(page: Page, title: string): Promise<void> {
  await page.evaluate((expectedTitle) => {
    const stamps: [number, number][] = (window.ringlabPaints = []);
    let newest = -1;
    const look = (): void => {
      const figure = [...document.querySelectorAll('figure[data-chart]')].find(
        (found) => found.querySelector('h3')?.textContent === expectedTitle,
      );
      const step = Number(figure?.getAttribute('data-newest') || -1);
      if (step > newest) {
        newest = step;
        // The second next callback runs when the frame with this change is on the screen.
        requestAnimationFrame(() => stamps.push([step, Date.now() / 1000]));
      }
      requestAnimationFrame(look);
    };
    look();
  }, title);
}

export const paintStamps = async (page: Page): Promise<Map<number, number>> =>
  new Map((await page.evaluate(() => window.ringlabPaints)) ?? []);
