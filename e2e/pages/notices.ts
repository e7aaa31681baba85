/** Records desktop notifications of a page that is hidden behind another window. */
import type { Page } from '@playwright/test';

/** Starts recording; returns a function that gives the notifications so far. */
export async function recordNotices(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const reported: string[] = [];
    Object.defineProperty(document, 'hidden', { get: () => true });
    const Real = window.Notification;
    window.Notification = class extends Real {
      /** Chromium's headless shell denies it whatever a page is granted. */
      static override get permission(): NotificationPermission {
        return 'granted';
      }
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        reported.push(`${title}: ${options?.body ?? ''}`);
      }
    };
    Object.assign(window, { reported });
  });
  return () => page.evaluate(() => (window as unknown as { reported: string[] }).reported);
}
