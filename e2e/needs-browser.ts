/** Ends the end-to-end tests before the first one where their browser is missing, and says how to name another. */
import { existsSync } from 'node:fs';
import type { FullConfig } from '@playwright/test';

export default function needsBrowser({ projects }: Pick<FullConfig, 'projects'>): void {
  const path = projects[0]?.use.launchOptions?.executablePath;
  if (path === undefined || existsSync(path)) return;
  throw new Error(
    `The end-to-end tests need a Chromium, and there is none at ${path}.\n` +
      'Debian has it in the package chromium-headless-shell. Elsewhere name the program of a Chromium or Chrome that is no snap:\n' +
      'RINGLAB_CHROMIUM=/opt/google/chrome/chrome npm test -- e2e',
  );
}
