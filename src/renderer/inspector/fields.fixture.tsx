/** Fields of the inspector on a lab with one node, for tests without the window around them. */
import { MantineProvider } from '@mantine/core';
import { cleanup, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach } from 'vitest';
import { standIn } from '../api/client.fixture.ts';
import { ApiProvider } from '../api/index.ts';
import { startI18n } from '../i18n/index.ts';
import { furnishBrowser, labOf } from '../shell/window.fixture.tsx';
import { closeLab, dropAllDrafts, showLab } from '../state/index.ts';
import { mantineTheme } from '../theme/index.ts';

/** Opens the lab before each test of a file, and closes it afterwards. */
export function withLab(): void {
  beforeEach(async () => {
    furnishBrowser();
    await startI18n('en');
    showLab({ lab: labOf(['N1']), path: '/l', revision: 1, issues: [] });
  });
  afterEach(() => {
    cleanup();
    closeLab();
    dropAllDrafts();
  });
}

export const show = (fields: ReactNode) =>
  render(
    <MantineProvider theme={mantineTheme}>
      <ApiProvider value={standIn({}).client}>{fields}</ApiProvider>
    </MantineProvider>,
  );
