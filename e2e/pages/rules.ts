/** The rules of accessibility that a view is held to: WCAG 2.2 A and AA, as far as axe finds what breaks them. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** What axe found, in the words that a user needs to mend it. */
export async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page })
    // Everything is in one frame: the other mode opens a page more for each look.
    .setLegacyMode()
    .options({ resultTypes: ['violations'], preload: false })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze();
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}\n  ${failureSummary ?? ''}`),
  );
}
