// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RankRecord } from '../../../shared/run/run.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { standIn } from '../../api/client.fixture.ts';
import { startI18n } from '../../i18n/index.ts';
import { putRun, useRunStore } from '../../state/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { RunDock } from './RunDock.tsx';

beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
});
afterEach(() => {
  cleanup();
  useRunStore.setState(useRunStore.getInitialState());
});

it('Escape that closes a list leaves the view as large as it is; the next one ends the full window', () => {
  putRun(
    runRecord('r', {
      labId: 'lab',
      state: 'finished',
      step: 9,
      ranks: [0, 1].map(
        (rank) => ({ rank, nodeId: `n${rank}`, nodeName: `N${rank}`, localRank: 0 }) as RankRecord,
      ),
    }),
  );
  render(
    <MantineProvider>
      <ApiProvider value={standIn({}).client}>
        <RunDock labId="lab" runId="r" onSelectRun={() => undefined} />
      </ApiProvider>
    </MantineProvider>,
  );
  const isFull = (): string | null | undefined =>
    document.querySelector('[data-full]')?.getAttribute('data-full');
  fireEvent.click(screen.getByLabelText('Fill the window'));
  const list = screen.getByRole('combobox', { name: 'Ranks shown' });
  fireEvent.click(list);
  expect(list.getAttribute('aria-expanded')).toBe('true');
  fireEvent.keyDown(list, { key: 'Escape', code: 'Escape' });
  expect([isFull(), list.getAttribute('aria-expanded')]).toEqual(['true', 'false']);
  fireEvent.keyDown(list, { key: 'Escape', code: 'Escape' });
  expect(isFull()).toBe('false');
});
