/** The canvas's view, by mouse: grid, overview map, fit and zoom; and that the window restores its layout. */
import type { Locator, Page } from '@playwright/test';
import { boxOf, cards, drag, insertTemplate, zoomOf } from '../pages/canvas-page.ts';
import { atRest, boxAt, canvas, drawNode, newLab, nodeCard, threeLocalNodes } from '../pages/lab-page.ts';
import { expect, test } from '../shared-app.ts';

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

/** Fitting a drawing into view is animated. */
async function zoomAtRest(page: Page): Promise<number> {
  await atRest(page);
  return zoomOf(page);
}

test.beforeEach(async ({ page, app }) => {
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Lab menu' }).waitFor();
});

const control = (page: Page, name: string): Locator => canvas(page).getByRole('button', { name });
const overview = (page: Page): Locator => page.locator('.react-flow__minimap svg');
const placed = (page: Page): Promise<{ x: number; y: number }[]> =>
  cards(page).evaluateAll((all) =>
    all.map((card) => {
      const { e, f } = new DOMMatrix(getComputedStyle(card).transform);
      return { x: e, y: f };
    }),
  );
test('a new or moved card snaps to the nearest grid points', async ({ page }) => {
  await newLab(page);
  const ground = await boxAt(canvas(page));
  const at = { x: 0.437, y: 0.381 };
  await drawNode(page, 'CPU node', at);
  await expect(cards(page)).toHaveCount(1);
  const [first = { x: Number.NaN, y: Number.NaN }] = await placed(page);
  expect([first.x % 20, first.y % 20]).toEqual([0, 0]);
  // At most half a grid step from where it was released.
  expect(Math.abs(first.x + 90 - ground.width * at.x)).toBeLessThanOrEqual(10.5);
  expect(Math.abs(first.y + 50 - ground.height * at.y)).toBeLessThanOrEqual(10.5);
  await drag(page, 'N1', { x: 67, y: 38 });
  await page.mouse.up();
  await expect.poll(() => placed(page)).toEqual([{ x: first.x + 60, y: first.y + 40 }]);
});

test('the overview map: shown by its button; a click moves the view, a drag pans it', async ({
  page,
}, info) => {
  await newLab(page);
  await insertTemplate(page, 'Two sites over a slow link');
  await expect(overview(page)).toHaveCount(0);
  await control(page, 'Overview map').click();
  await expect(page.locator('.react-flow__minimap-node')).toHaveCount(4);
  const fitted = await zoomAtRest(page);
  for (let click = 0; click < 3; click += 1) await control(page, 'Zoom in').click();
  // Each click is one step, also during the animation of the one before; the steps' rounding is not compared.
  await expect.poll(() => zoomOf(page)).toBeCloseTo(fitted * 1.2 ** 3, 1);
  // Measured in the map after the move: the map's scale follows the view.
  await atRest(page);
  const map = await boxAt(overview(page));
  // The view moves to N4's middle in the map.
  const four = await boxAt(page.locator('.react-flow__minimap-node').last());
  await page.mouse.click(four.x + four.width / 2, four.y + four.height / 2);
  const middle = async (): Promise<number> => {
    const [card, ground] = [await boxOf(page, 'N4'), await boxAt(canvas(page))];
    return Math.hypot(
      card.x + card.width / 2 - ground.x - ground.width / 2,
      card.y + card.height / 2 - ground.y - ground.height / 2,
    );
  };
  await expect.poll(middle).toBeLessThan(20);
  await page.screenshot({ path: info.outputPath('overview.png') });
  const before = await boxOf(page, 'N4');
  await page.mouse.move(map.x + 120, map.y + 90);
  await page.mouse.down();
  await page.mouse.move(map.x + 90, map.y + 80, { steps: 5 });
  await page.mouse.up();
  // Dragging left in the map moves the content right; it stays there even if the mouse is released over the map.
  await expect.poll(async () => (await boxOf(page, 'N4')).x - before.x).toBeGreaterThan(60);
  expect((await boxOf(page, 'N4')).x - before.x).toBeGreaterThan(60);
  await control(page, 'Overview map').click();
  await expect(overview(page)).toHaveCount(0);
});

test('fit, zoom to selection, zoom in and out, by their buttons', async ({ page }) => {
  await newLab(page);
  await insertTemplate(page, 'Two sites over a slow link');
  await canvas(page).click({ position: { x: 8, y: 8 } });
  await expect(control(page, 'Zoom to selection')).toBeDisabled();
  await nodeCard(page, 'N2').click();
  await control(page, 'Zoom to selection').click();
  await expect.poll(() => zoomOf(page)).toBeCloseTo(1.4, 1);
  const ground = await boxAt(canvas(page));
  await expect
    .poll(async () => {
      const card = await boxOf(page, 'N2');
      return Math.abs(card.x + card.width / 2 - ground.x - ground.width / 2);
    })
    .toBeLessThan(4);
  await control(page, 'Show everything').click();
  for (const name of ['N1', 'N2', 'N3', 'N4']) {
    await expect
      .poll(async () => {
        const { x, y, width, height } = await boxOf(page, name);
        return (
          x > ground.x &&
          y > ground.y &&
          x + width < ground.x + ground.width &&
          y + height < ground.y + ground.height
        );
      })
      .toBe(true);
  }
  const fitted = await zoomAtRest(page);
  await control(page, 'Zoom out').click();
  await expect.poll(() => zoomOf(page)).toBeLessThan(fitted * 0.9);
  await control(page, 'Zoom in').click();
  await expect.poll(() => zoomOf(page)).toBeCloseTo(fitted, 2);
});

test('the drawing stays where it is when a panel is opened and closed before the view has moved', async ({
  page,
}) => {
  await newLab(page);
  await insertTemplate(page, 'Two sites over a slow link');
  await control(page, 'Zoom out').click();
  await atRest(page);
  const before = await boxOf(page, 'N1');
  await canvas(page).click({ position: { x: 8, y: 8 } });
  for (let press = 0; press < 6; press += 1) {
    await page.keyboard.press('Control+j');
    // A frame, in which the size change is seen; the view moves for longer.
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
  }
  await atRest(page);
  await expect.poll(async () => Math.abs((await boxOf(page, 'N1')).y - before.y)).toBeLessThan(3);
});

test('a reload restores the window: panels, the open dock, zoom', async ({ page }, info) => {
  await threeLocalNodes(page);
  await page.getByRole('button', { name: 'Show the runs' }).click();
  const pull = async (name: string, by: { x: number; y: number }): Promise<void> => {
    const { x, y, width, height } = await boxAt(page.getByRole('separator', { name }));
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + by.x, y + height / 2 + by.y, { steps: 4 });
    await page.mouse.up();
  };
  await pull('Width of the inspector', { x: -70, y: 0 });
  await pull('Height of the runs', { x: 0, y: 64 });
  const size = async (name: string): Promise<number> =>
    Number(await page.getByRole('separator', { name }).getAttribute('aria-valuenow'));
  const sizes = [await size('Width of the inspector'), await size('Height of the runs')];
  expect(sizes[0]).toBe(336 + 70);
  const fitted = await zoomAtRest(page);
  // Two clicks in quick succession both count.
  await control(page, 'Zoom in').dblclick();
  await expect.poll(() => zoomOf(page)).toBeCloseTo(fitted * 1.44, 2);
  const { x, y } = await boxAt(canvas(page));
  await page.mouse.move(x + 30, y + 30);
  await page.mouse.down();
  await page.mouse.move(x + 70, y + 55, { steps: 4 });
  await page.mouse.up();
  const [zoom, one] = [await zoomAtRest(page), await boxOf(page, 'N1')];
  // The view is stored when the move is over.
  await expect
    .poll(() =>
      page.evaluate(() => {
        const views = JSON.parse(localStorage.getItem('ringlab.views') ?? '[]') as [string, { x: number }][];
        const looked = document.querySelector('.react-flow__viewport') ?? document.body;
        return Math.abs((views.at(-1)?.[1].x ?? 0) - new DOMMatrix(getComputedStyle(looked).transform).e);
      }),
    )
    .toBeLessThan(0.5);
  await page.reload();
  await expect(cards(page)).toHaveCount(3);
  await expect(page.getByRole('button', { name: 'Hide the runs' })).toBeVisible();
  expect([await size('Width of the inspector'), await size('Height of the runs')]).toEqual(sizes);
  await expect.poll(() => zoomOf(page)).toBeCloseTo(zoom, 3);
  await page.screenshot({ path: info.outputPath('as-left.png') });
  const again = await boxOf(page, 'N1');
  expect(Math.hypot(again.x - one.x, again.y - one.y)).toBeLessThan(2);

  // Closing the dock enlarges the canvas: the view's centre stays in the middle.
  await page.getByRole('button', { name: 'Hide the runs' }).click();
  await expect.poll(() => zoomOf(page)).toBeCloseTo(zoom, 3);
  await expect.poll(async () => (await boxOf(page, 'N1')).y - one.y).toBeGreaterThan(40);
  // If the user fits the lab into the view, it is fitted the next time too.
  await control(page, 'Show everything').click();
  await expect.poll(() => zoomOf(page)).toBeCloseTo(1, 3);
  const whole = await zoomOf(page);
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.reload();
  await expect(cards(page)).toHaveCount(3);
  await expect.poll(() => zoomOf(page)).toBeLessThan(whole);
});
