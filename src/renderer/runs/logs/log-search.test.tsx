// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { standIn } from '../../api/client.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { startI18n } from '../../i18n/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { LogSearch } from './LogSearch.tsx';

beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
});
afterEach(cleanup);

it.each([
  { ranks: [3], says: 'Only the first 50 MB of a log are searched: that of rank 3 is longer' },
  {
    ranks: [0, 1, 2, 3, 4, 5, 6],
    says: 'Only the first 50 MB of a log are searched: those of ranks 0, 1, 2, 3, 4, 5, … are longer',
  },
])('names the logs that are not searched to their ends: $ranks.length', async ({ ranks, says }) => {
  const answer = { lines: [], total: 0, beyond: { ranks, bytes: 50_000_000 } };
  render(
    <MantineProvider>
      <ApiProvider value={standIn({ 'log.search': () => answer }).client}>
        <LogSearch run={runRecord('r', { state: 'finished' })} onRank={() => undefined} />
      </ApiProvider>
    </MantineProvider>,
  );
  expect(await screen.findByText(says)).toBeTruthy();
});
