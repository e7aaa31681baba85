/** Desktop notifications, as a page that is behind another window would give them. */
import type { Page } from '@playwright/test';

/** Records what the page puts on the desktop from now on, and gives what it was so far. */
export async function recordNotices(page: Page): Promise<() => Promise<string[]>> {
  await page.context().grantPermissions(['notifications']);
  await page.addInitScript(() => {
    const reported: string[] = [];
    Object.defineProperty(document, 'hidden', { get: () => true });
    const Real = window.Notification;
    window.Notification = class extends Real {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        reported.push(`${title}: ${options?.body ?? ''}`);
      }
    };
    Object.assign(window, { reported });
  });
  return () => page.evaluate(() => (window as unknown as { reported: string[] }).reported);
}
