/** Keyboard actions: moves the focus, and checks that it is visible. */
import { expect, type Locator, type Page } from '@playwright/test';

/** More tab stops than any view has. */
const maxStops = 150;

const hasFocus = (locator: Locator): Promise<boolean> =>
  locator.evaluateAll((found) => found.some((element) => element === document.activeElement));

/**
 * Presses Tab (or Shift+Tab) until the element has the focus.
 * @throws if a whole round through the window does not reach the element
 */
export async function tabTo(page: Page, locator: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let stops = 0; stops < maxStops; stops += 1) {
    if (await hasFocus(locator)) {
      await expectSeen(page);
      return;
    }
    await page.keyboard.press(key);
  }
  throw new Error(`${maxStops} times ${key} did not reach ${String(locator)}`);
}

/** Whether the focus is visible: by an outline, a ring, or a border in the accent colour. */
async function expectSeen(page: Page): Promise<void> {
  const seen = await page.evaluate(() => {
    // A parent element may draw a field's frame.
    for (
      let at = document.activeElement, depth = 0;
      at !== null && depth < 3;
      at = at.parentElement, depth += 1
    ) {
      const style = getComputedStyle(at);
      if (style.outlineStyle !== 'none' && style.outlineWidth !== '0px') return true;
      if (style.boxShadow !== 'none') return true;
      if (at.matches('input, textarea') && style.borderColor !== '') return true;
    }
    return document.activeElement?.outerHTML.slice(0, 200) ?? 'nothing';
  });
  expect(seen, 'the focus can be seen').toBe(true);
}

/** Moves to a button by Tab and presses it. */
export async function pressButton(
  page: Page,
  button: Locator,
  key: 'Enter' | 'Space' = 'Enter',
): Promise<void> {
  await tabTo(page, button);
  await page.keyboard.press(key);
}

/** Moves to a field by Tab, replaces its text and leaves it. */
export async function typeInto(page: Page, field: Locator, value: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(value);
  await page.keyboard.press('Tab');
}
