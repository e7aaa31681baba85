/** Finds controls that a user cannot reach: cut off by the window or by a part that does not scroll. */
import { expect, type Page } from '@playwright/test';

/** Each as its label and what cuts it off. The drawing itself pans: its cards do not count. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const controls = 'button, input, textarea, select, a[href], [role="tab"], [role="switch"]';
    const scrolls = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll';
    const found: string[] = [];
    for (const control of document.querySelectorAll<HTMLElement>(controls)) {
      if (control.closest('.react-flow__viewport, .react-flow__attribution') !== null) continue;
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      let box = control.getBoundingClientRect();
      // Hidden inputs of switches and files.
      if (box.width <= 1 || box.height <= 1) continue;
      const name = control.getAttribute('aria-label') ?? control.textContent.trim().slice(0, 40);
      const cut = (by: string): void => void found.push(`${control.tagName} “${name}” by ${by}`);
      for (let part = control.parentElement; part !== null; part = part.parentElement) {
        const { overflowX, overflowY, position } = getComputedStyle(part);
        const around = part.getBoundingClientRect();
        const outX = box.left < around.left - 1 || box.right > around.right + 1;
        const outY = box.top < around.top - 1 || box.bottom > around.bottom + 1;
        const hidesX = outX && overflowX !== 'visible' && !scrolls(overflowX);
        const hidesY = outY && overflowY !== 'visible' && !scrolls(overflowY);
        if (part !== document.body && part !== document.documentElement && (hidesX || hidesY)) {
          cut(part.className);
          break;
        }
        // Reached by scrolling this part, if the part itself can be.
        if ((outX && scrolls(overflowX)) || (outY && scrolls(overflowY))) box = around;
        if (position === 'fixed') break;
      }
      const outside =
        box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
      if (outside) cut('the window');
    }
    return [...new Set(found)];
  });

/** Panels slide in: they are where they belong a frame or two after they are visible. */
export const allReachable = (page: Page, where: string): Promise<void> =>
  expect.poll(() => cutOff(page), where).toEqual([]);
