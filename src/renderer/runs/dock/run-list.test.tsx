// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { summaryOf } from '../../../shared/contract/api.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { standIn } from '../../api/client.fixture.ts';
import { startI18n } from '../../i18n/index.ts';
import { useRunStore } from '../../state/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { RunList } from './RunList.tsx';

beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it('runs of the day before have their day, also in a window that was left open overnight', async () => {
  vi.setSystemTime(new Date(2026, 2, 3, 23, 50));
  const startedAt = new Date(2026, 2, 3, 14, 5).getTime() / 1000;
  const run = runRecord('r', { labId: 'lab', state: 'finished', startedAt, createdAt: startedAt });
  useRunStore.setState({ summaries: { r: summaryOf(run, 1) } });
  render(
    <MantineProvider>
      <ApiProvider value={standIn({}).client}>
        <RunList labId="lab" runId="r" onSelectRun={() => undefined} />
      </ApiProvider>
    </MantineProvider>,
  );
  const shown = (): string => screen.getByRole('button').textContent;
  expect(shown()).toContain('14:05');
  expect(shown()).not.toContain('Mar 3');
  await act(() => vi.advanceTimersByTimeAsync(20 * 60_000));
  expect(shown()).toContain('Mar 3');
});
