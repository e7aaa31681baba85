/** A drawing of 160 nodes: drags are drawn without React Flow, which is notified at the drop. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { formatLab, parseLab } from '../../../src/shared/lab/read-lab.ts';
import { newDataFolder, removeDataFolder, startApp } from '../../app-process.ts';
import { gridLab } from '../../large-lab.ts';
import { atRest } from '../../pages/lab-page.ts';

const card = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);

async function boxOf(page: Page, id: string) {
  const box = await card(page, id).boundingBox();
  if (box === null) throw new Error(`${id} is not drawn`);
  return box;
}

/** The card's position in each frame of the next second. */
const frames = (page: Page, id: string): Promise<{ x: number; y: number }[]> =>
  page.evaluate(
    (node) =>
      new Promise((resolve) => {
        const seen: { x: number; y: number }[] = [];
        const end = performance.now() + 1000;
        const look = (now: number): void => {
          const { x, y } =
            document.querySelector(`.react-flow__node[data-id="${node}"]`)?.getBoundingClientRect() ??
            new DOMRect();
          seen.push({ x, y });
          if (now < end) requestAnimationFrame(look);
          else resolve(seen);
        };
        requestAnimationFrame(look);
      }),
    id,
  );

/** A card's position in the overview map, in document pixels. The map's cards are in the document's order. */
const mapPlace = (page: Page, id: string): Promise<{ x: number; y: number }> =>
  page
    .locator('.react-flow__minimap-node')
    .nth(Number(id.slice(1)))
    .evaluate((node) => ({ x: Number(node.getAttribute('x')), y: Number(node.getAttribute('y')) }));

/** Pixels between a card's border and the nearest end of a drawn line. */
const gapToLine = (page: Page, id: string, lines: string): Promise<number> =>
  page.evaluate(
    ([node, selector]) => {
      const box = document.querySelector(`.react-flow__node[data-id="${node}"]`)?.getBoundingClientRect();
      if (box === undefined) return Number.NaN;
      const ends = [...document.querySelectorAll<SVGPathElement>(selector ?? '')].flatMap((path) => {
        const place = path.getScreenCTM();
        if (place === null) return [];
        return [0, path.getTotalLength()].map((at) => path.getPointAtLength(at).matrixTransform(place));
      });
      const gaps = ends.map(({ x, y }) => {
        const dx = Math.max(box.left - x, 0, x - box.right);
        const dy = Math.max(box.top - y, 0, y - box.bottom);
        const inside = Math.min(x - box.left, box.right - x, y - box.top, box.bottom - y);
        return inside > 0 ? inside : Math.hypot(dx, dy);
      });
      return Math.min(...gaps);
    },
    [id, lines],
  );

test('a dragged card and its links follow the pointer, and stay at the drop position', async ({
  page,
}, info) => {
  const folder = await newDataFolder();
  const lab = gridLab(160);
  const file = join(folder, 'labs', `${lab.id}.lab.json`);
  await mkdir(join(folder, 'labs'), { recursive: true });
  await writeFile(file, formatLab(lab));
  const app = await startApp(folder);
  await page.goto(app.url);
  await card(page, 'n62').waitFor();
  await page.locator('#lab-canvas').click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('Shift+1');
  await expect(page.locator('.react-flow__node')).toHaveCount(160);

  const dragged = async (id: string, by: { x: number; y: number }, lines: string): Promise<void> => {
    const before = await boxOf(page, id);
    const onMap = await mapPlace(page, id);
    const zoom = before.width / 180;
    // A drag begins behind the pointer's first of ten steps; the card lies at a point of the grid, half a step away at most, or at a guide.
    const off = Math.max(by.x, by.y) / 10 + 20 * zoom;
    const at = { x: before.x + before.width * 0.4, y: before.y + before.height * 0.2 };
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + by.x, at.y + by.y, { steps: 10 });
    // The pointer rests: a busy machine may draw the last movement a few frames later.
    await expect
      .poll(async () => {
        const { x, y } = await boxOf(page, id);
        return Math.max(Math.abs(x - before.x - by.x), Math.abs(y - before.y - by.y));
      })
      .toBeLessThan(off);
    // The overview map follows the pointer during the drag, not only after the drop.
    await expect
      .poll(async () => {
        const { x, y } = await boxOf(page, id);
        const heldOnMap = await mapPlace(page, id);
        return Math.max(
          Math.abs((heldOnMap.x - onMap.x) * zoom - (x - before.x)),
          Math.abs((heldOnMap.y - onMap.y) * zoom - (y - before.y)),
        );
      })
      .toBeLessThan(2);
    const held = await boxOf(page, id);
    expect(await gapToLine(page, id, lines)).toBeLessThan(1.5);
    await page.screenshot({ path: info.outputPath(`held-${id}.png`) });
    const watched = frames(page, id);
    await page.mouse.up();
    // It does not jump back for a frame.
    for (const { x, y } of await watched) {
      expect(Math.hypot(x - held.x, y - held.y)).toBeLessThan(12);
    }
    const { x, y } = await boxOf(page, id);
    const old = lab.nodes.find((node) => node.id === id)?.position ?? { x: 0, y: 0 };
    await expect
      .poll(async () => {
        const stored = parseLab(await readFile(file, 'utf8'), file).nodes.find(
          (node) => node.id === id,
        )?.position;
        return stored === undefined
          ? Number.NaN
          : Math.hypot(
              (stored.x - old.x) * zoom - (x - before.x),
              (stored.y - old.y) * zoom - (y - before.y),
            );
      })
      .toBeLessThan(1);
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await boxOf(page, id)).x).toBeCloseTo(before.x, 0);
  };

  await expect(page.locator('.react-flow.far')).toHaveCount(1);
  await dragged('n62', { x: 50, y: 40 }, '.react-flow__viewport-portal path[class*="line"]');

  const { x, y } = await boxOf(page, 'n63');
  await page.mouse.move(x, y);
  while ((await page.locator('.react-flow.far').count()) > 0) await page.mouse.wheel(0, -60);
  await page.mouse.wheel(0, -120);
  await atRest(page);
  await dragged('n63', { x: 90, y: 70 }, '.react-flow__edge-path');

  await app.stop();
  await removeDataFolder(folder);
});
