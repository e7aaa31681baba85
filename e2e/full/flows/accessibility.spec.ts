/** The lab and a run, in both languages and themes: axe finds no violation of WCAG 2.2 A and AA. */
import type { Page } from '@playwright/test';
import { expect, pageOf, test } from '../../fixtures.ts';
import { violations } from '../../pages/rules.ts';
import {
  atRest,
  inspector,
  nodeCard,
  openExample,
  runExperiment,
  setField,
  showPage,
  waitForState,
} from '../../pages/lab-page.ts';

/** The tabs of a run, by their index, since their names depend on the language. */
const runTabs = 6;

test('no view violates WCAG, in either language or theme', async ({ page, app, browser }, info) => {
  test.setTimeout(480_000);
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  await setField(page, 'Epochs', '2');
  await setField(page, 'Training images', '72');
  await setField(page, 'Validation images', '36');
  await setField(page, 'Batch size', '36');
  await runExperiment(page);
  await waitForState(page, 'running');
  const found: string[] = [];
  const look = async (view: Page, name: string): Promise<void> => {
    // Menus and dialogs open with an animation, during which the contrast is too low.
    await atRest(view);
    await view.screenshot({ path: info.outputPath(`${name}.png`) });
    for (const one of await violations(view)) found.push(`${name}: ${one}`);
  };
  await look(page, 'running');
  await waitForState(page, 'finished', 120_000);

  // Colours depend on the theme and texts on the language: two contexts cover each once.
  for (const [locale, colorScheme] of [
    ['en-US', 'light'],
    ['zh-CN', 'dark'],
  ] as const) {
    const view = await pageOf(browser, locale, colorScheme);
    const name = (part: string): string => `${locale}-${colorScheme}-${part}`;
    await view.goto(app.url);
    await view.locator('.react-flow__node').first().waitFor();
    await look(view, name('lab'));
    const pages = view.getByRole('complementary').getByRole('tab');
    await nodeCard(view, 'N1').click();
    await look(view, name('node'));
    await view.keyboard.press('Escape');
    for (let index = 0; index < (await pages.count()); index += 1) {
      if (!(await pages.nth(index).isEnabled())) continue;
      await pages.nth(index).click();
      await look(view, name(`inspector-${index}`));
    }
    await view.locator('.react-flow__edge').first().click({ force: true });
    await look(view, name('link'));
    const tabs = view.locator('[role="tab"]').filter({ hasNot: inspector(view) });
    const all = await tabs.count();
    expect(all).toBeGreaterThanOrEqual(runTabs);
    for (let index = 0; index < all; index += 1) {
      const tab = tabs.nth(index);
      if (!(await tab.isVisible()) || !(await tab.isEnabled())) continue;
      await tab.click();
      await look(view, name(`tab-${index}`));
    }
    for (const [part, button] of [
      ['menu', view.getByRole('banner').getByRole('button').first()],
      ['settings', view.getByRole('banner').getByRole('button').last()],
    ] as const) {
      await button.click();
      await look(view, name(part));
      await view.keyboard.press('Escape');
    }
    await view.context().close();
  }
  expect([...new Set(found)]).toEqual([]);
});

test('notes on a drawing and typing into all terminals do not violate WCAG', async ({
  page,
  app,
  browser,
}, info) => {
  await page.goto(app.url);
  await openExample(page);
  for (const [kind, words] of [
    ['Area', '机房 A · second floor'],
    ['Note', 'Two links of 10 Mbps:\nthe third is a spare.'],
  ] as const) {
    await page
      .getByRole('region', { name: 'Palette' })
      .getByRole('button', { name: kind, exact: true })
      .click();
    await page.keyboard.type(words);
    await page.keyboard.press('Escape');
    for (let step = 0; step < 9; step += 1)
      await page.keyboard.press(kind === 'Area' ? 'ArrowLeft' : 'ArrowUp');
  }
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  const found: string[] = [];
  for (const [locale, colorScheme] of [
    ['en-US', 'light'],
    ['zh-CN', 'dark'],
  ] as const) {
    const view = await pageOf(browser, locale, colorScheme);
    const look = async (part: string): Promise<void> => {
      const name = `${locale}-${colorScheme}-${part}`;
      await atRest(view);
      await view.screenshot({ path: info.outputPath(`${name}.png`) });
      for (const one of await violations(view)) found.push(`${name}: ${one}`);
    };
    await view.goto(app.url);
    const notes = view.locator('.react-flow__node.annotation');
    await expect(notes).toHaveCount(2);
    await notes.last().click();
    await look('note');
    await notes.last().dblclick();
    await look('writing');
    await view.keyboard.press('Escape');
    await nodeCard(view, 'N1').click();
    await nodeCard(view, 'N2').click({ modifiers: ['Shift'] });
    await view.keyboard.press('Control+`');
    await expect(view.locator('[data-terminal-tab][data-state="open"]')).toHaveCount(2);
    await view.getByRole('switch').first().click({ force: true });
    await look('terminals');
    await view.context().close();
  }
  expect([...new Set(found)]).toEqual([]);
});
