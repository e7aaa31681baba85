/** Measures frames per second while one node of a large drawing is dragged, by the page's own animation frames. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { newDataFolder, removeDataFolder, startApp } from '../e2e/app-process.ts';
import { gridLab } from '../e2e/large-lab.ts';
import { formatLab } from '../src/shared/lab/read-lab.ts';

const dragMs = 5000;

/** The renderer's name from WebGL: software, or a GPU. */
const rendererOf = (page: Page): Promise<'software' | 'GPU'> =>
  page.evaluate(() => {
    const gl = document.createElement('canvas').getContext('webgl');
    const info = gl?.getExtension('WEBGL_debug_renderer_info');
    const name = String(gl && info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '');
    return name === '' || /swiftshader|llvmpipe|software/i.test(name) ? 'software' : 'GPU';
  });

/** Drags a node in circles for five seconds. */
async function framesWhileDragging(page: Page, node: string): Promise<number> {
  const box = await page.locator(`.react-flow__node[data-id="${node}"]`).boundingBox();
  if (box === null) throw new Error(`${node} is not drawn`);
  const [x, y] = [box.x + box.width * 0.4, box.y + box.height * 0.2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 12, y + 12);
  const counted = page.evaluate(
    (ms) =>
      new Promise<number>((resolve) => {
        let frames = 0;
        const begin = performance.now();
        const tick = (now: number): void => {
          if (now - begin >= ms) resolve((frames * 1000) / (now - begin));
          else {
            frames += 1;
            requestAnimationFrame(tick);
          }
        };
        requestAnimationFrame(tick);
      }),
    dragMs,
  );
  let done = false;
  void counted.finally(() => {
    done = true;
  });
  for (let step = 0; !done; step += 1) {
    await page.mouse.move(x + 60 * Math.cos(step / 12), y + 60 * Math.sin(step / 12));
  }
  const fps = await counted;
  const moved = await page.locator(`.react-flow__node[data-id="${node}"]`).boundingBox();
  if (moved === null || Math.hypot(moved.x - box.x, moved.y - box.y) < 5)
    throw new Error('the node did not move');
  await page.mouse.up();
  return fps;
}

export interface CanvasFrames {
  readonly renderer: 'software' | 'GPU';
  readonly allVisible: number;
  readonly sixtyVisible: number;
}

/** 500 nodes and 1,000 links at 1920 × 1080: first all of them visible, then about 60. */
export async function measureCanvas(browser: Browser): Promise<CanvasFrames> {
  const folder = await newDataFolder();
  const lab = gridLab(500);
  await mkdir(join(folder, 'labs'), { recursive: true });
  await writeFile(join(folder, 'labs', `${lab.id}.lab.json`), formatLab(lab));
  const app = await startApp(folder);
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 }, locale: 'en-US' });
  await page.goto(app.url);
  await page.locator('.react-flow__node').first().waitFor();
  await page.locator('#lab-canvas').click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('Shift+1');
  await page.waitForTimeout(1500);
  const seen = await visible(page);
  if (seen < lab.nodes.length) throw new Error(`${seen} of ${lab.nodes.length} nodes are in view`);
  const renderer = await rendererOf(page);
  const allVisible = await framesWhileDragging(page, 'n262');
  const canvas = await page.locator('#lab-canvas').boundingBox();
  if (canvas === null) throw new Error('the canvas is gone');
  await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
  while ((await visible(page)) > 66) {
    await page.mouse.wheel(0, -40);
    await page.waitForTimeout(150);
  }
  const middle = await middleNode(page);
  const sixtyVisible = await framesWhileDragging(page, middle);
  await page.close();
  await app.stop();
  await removeDataFolder(folder);
  return { renderer, allVisible, sixtyVisible };
}

/** The number of nodes whose middle is visible. */
const visible = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const area = document.getElementById('lab-canvas')?.getBoundingClientRect();
    if (area === undefined) return 0;
    return [...document.querySelectorAll('.react-flow__node')].filter((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      return x >= area.left && x <= area.right && y >= area.top && y <= area.bottom;
    }).length;
  });

const middleNode = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const area = document.getElementById('lab-canvas')?.getBoundingClientRect() ?? new DOMRect();
    const far = (node: Element): number => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return Math.hypot(
        (left + right - area.left - area.right) / 2,
        (top + bottom - area.top - area.bottom) / 2,
      );
    };
    const [nearest] = [...document.querySelectorAll<HTMLElement>('.react-flow__node')].sort(
      (a, b) => far(a) - far(b),
    );
    return nearest?.dataset.id ?? '';
  });
