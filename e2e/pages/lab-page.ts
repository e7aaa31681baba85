/** Mouse and keyboard actions on a lab, with elements found by their accessible names. */
import { expect, type Locator, type Page } from '@playwright/test';

export type Kind = 'GPU node' | 'CPU node' | 'Switch';

export const canvas = (page: Page): Locator => page.getByRole('region', { name: 'Lab canvas' });
export const nodeCard = (page: Page, name: string): Locator =>
  page.locator('.react-flow__node').filter({ has: page.getByText(name, { exact: true }) });
export const inspector = (page: Page): Locator => page.getByRole('complementary', { name: 'Inspector' });
export const runState = (page: Page): Locator => page.getByRole('status', { name: 'State of the run' });

/** Opens the menu at the top left and chooses an entry. */
export async function labMenu(page: Page, entry: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Lab menu' }).click();
  const item = page.getByRole('menuitem', { name: entry, exact: true });
  await item.click();
  // Until it has closed it receives the keys; then it returns the focus.
  await expect(item).toBeHidden();
}

/** After this many frames without a change, an animation is over. */
const framesAtRest = 6;

/**
 * Waits until nothing moves any more, as a user does before clicking: neither the drawing, its cards and the charts, nor a
 * menu, dialog or notification that opens or closes. Frames are counted, so that a busy machine only takes longer.
 */
export const atRest = (page: Page): Promise<void> =>
  page.evaluate(
    (needed) =>
      new Promise<void>((resolve) => {
        let last = '';
        let same = 0;
        const look = (): void => {
          const opening = document
            .getAnimations()
            .some(
              ({ effect, playState }) =>
                playState === 'running' &&
                effect instanceof KeyframeEffect &&
                Number.isFinite(Number(effect.getComputedTiming().endTime)) &&
                effect.target?.closest('[data-portal]') instanceof Element,
            );
          const placed = document.querySelectorAll('.react-flow__viewport, .react-flow__node');
          const now = [
            ...[...placed].map((element) => element.getAttribute('style')),
            ...[...document.querySelectorAll('main, figure[data-chart]')].map((element) =>
              JSON.stringify(element.getBoundingClientRect()),
            ),
          ].join();
          same = now === last && !opening ? same + 1 : 0;
          last = now;
          if (same >= needed) resolve();
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    framesAtRest,
  );

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An element's position after all animations. */
export async function boxAt(locator: Locator): Promise<Box> {
  await atRest(locator.page());
  const found = await locator.boundingBox();
  if (found === null) throw new Error(`${String(locator)} is not on the page`);
  return found;
}

/** Runs an action that opens another lab, and waits for it: the new lab may look the same as the old one. */
export async function opensLab(page: Page, action: () => Promise<void>): Promise<void> {
  await expect(canvas(page)).toHaveAttribute('data-lab', /./);
  const before = (await canvas(page).getAttribute('data-lab')) ?? '';
  await action();
  await expect(canvas(page)).not.toHaveAttribute('data-lab', before);
}

/** Opens a new lab without nodes. */
export async function newLab(page: Page): Promise<void> {
  await opensLab(page, () => labMenu(page, 'New lab'));
  await expect(page.getByRole('textbox', { name: 'Name of the lab' })).toHaveValue(/^New lab( \d+)?$/);
  await expect(page.locator('.react-flow__node')).toHaveCount(0);
}

/** Opens the example from the lab's menu: N1, N2 and N3 in a ring, a new lab each time. */
export async function threeLocalNodes(page: Page): Promise<void> {
  await opensLab(page, () => labMenu(page, 'Three local nodes'));
  await expect(page.locator('.react-flow__node')).toHaveCount(3);
}

/** The first start opens the example automatically. */
export async function openExample(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run experiment' }).waitFor();
  await expect(page.locator('.react-flow__node')).toHaveCount(3);
}

/** Drags an entry of the palette to a place on the canvas, given as shares of its size. */
export async function drawNode(page: Page, kind: Kind, at: { x: number; y: number }): Promise<void> {
  const item = page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: kind });
  const from = await boxAt(item);
  const to = await boxAt(canvas(page));
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width * at.x, to.y + to.height * at.y, { steps: 8 });
  await page.mouse.up();
}

/** Drags from a handle of one node to another node, and enters the bandwidth. */
export async function linkNodes(page: Page, from: string, to: string, bandwidth: string): Promise<void> {
  const a = await boxAt(nodeCard(page, from));
  const b = await boxAt(nodeCard(page, to));
  const centre = (r: typeof a) => ({ x: r.x + r.width / 2, y: r.y + r.height / 2 });
  const aside = Math.abs(centre(b).x - centre(a).x) > Math.abs(centre(b).y - centre(a).y);
  const right = centre(b).x > centre(a).x;
  const below = centre(b).y > centre(a).y;
  const handle = (r: typeof a, first: boolean) =>
    aside
      ? { x: r.x + (right === first ? r.width : 0), y: centre(r).y }
      : { x: centre(r).x, y: r.y + (below === first ? r.height : 0) };
  await page.mouse.move(handle(a, true).x, handle(a, true).y);
  await page.mouse.down();
  await page.mouse.move(handle(b, false).x, handle(b, false).y, { steps: 12 });
  await page.mouse.up();
  const question = page.getByRole('dialog', { name: new RegExp(`^Link ${from} – ${to}`) });
  await question.getByRole('textbox', { name: 'Bandwidth' }).fill(bandwidth);
  await page.keyboard.press('Enter');
  await expect(question).toBeHidden();
}

/** Selects a node by its card; the inspector then shows it. */
export async function selectNode(page: Page, name: string): Promise<void> {
  await nodeCard(page, name).click();
  await expect(inspector(page).getByLabel('Name', { exact: true })).toHaveValue(name);
}

/** Types into a field of the inspector and leaves it. */
export async function setField(page: Page, name: string, value: string): Promise<void> {
  const field = inspector(page).getByLabel(name, { exact: true });
  await field.fill(value);
  await field.press('Tab');
}

/** Chooses from one of the inspector's lists. */
export async function choose(page: Page, list: string, entry: string): Promise<void> {
  await inspector(page).getByRole('combobox', { name: list, exact: true }).click();
  await page.getByRole('option', { name: entry, exact: true }).click();
}

/** A drawn link, found by its ends; its name also contains its numbers and its state. */
export const link = (page: Page, a: string, b: string): Locator =>
  page.getByRole('group', { name: new RegExp(`^Link ${a} – ${b}, `) });

export const showPage = (page: Page, name: 'Experiment' | 'Lab' | 'Node'): Promise<void> =>
  inspector(page).getByRole('tab', { name }).click();

/** Settings of a run that takes seconds on this computer. */
export async function smallRun(page: Page, epochs: string): Promise<void> {
  await showPage(page, 'Experiment');
  await choose(page, 'Architecture', 'squeezenet1_1');
  for (const [name, value] of [
    ['Epochs', epochs],
    ['Training images', '84'],
    ['Validation images', '21'],
    ['Batch size', '21'],
  ] as const)
    await setField(page, name, value);
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
}

export const runExperiment = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Run experiment' }).click();

/** Waits until the run's state is shown: 'running' waits for 'Running'. */
export async function waitForState(page: Page, state: string, timeout = 120_000): Promise<void> {
  await expect(runState(page)).toContainText(new RegExp(`^\\s*${state}`, 'i'), { timeout });
}

/** Imports a lab from a file, by its path. */
export async function importLab(page: Page, file: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await labMenu(page, 'Import a lab or containerlab file…');
  await (await chooser).setFiles(file);
}
