/** Checks a view against WCAG 2.2 A and AA with axe. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** Axe's violations as text, with what is needed to fix them. */
export async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page })
    // Everything is in one frame: the other mode opens one more page for each check.
    .setLegacyMode()
    .options({ resultTypes: ['violations'], preload: false })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze();
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}\n  ${failureSummary ?? ''}`),
  );
}
