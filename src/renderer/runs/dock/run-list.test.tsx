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

it('the run that is shown is scrolled to, also where it was opened from elsewhere', () => {
  const scrolled: (string | null)[] = [];
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    scrolled.push(this.getAttribute('data-run'));
  });
  const runs = ['a', 'b', 'c'].map((id) => runRecord(id, { labId: 'lab', state: 'finished' }));
  useRunStore.setState({ summaries: Object.fromEntries(runs.map((run) => [run.id, summaryOf(run, 1)])) });
  const list = (runId: string) => (
    <MantineProvider>
      <ApiProvider value={standIn({}).client}>
        <RunList labId="lab" runId={runId} onSelectRun={() => undefined} />
      </ApiProvider>
    </MantineProvider>
  );
  const { rerender } = render(list('a'));
  rerender(list('c'));
  expect(scrolled).toEqual(['a', 'c']);
});

it('a run that is held in the queue is not said to wait for its turn', () => {
  const runs = [
    runRecord('a', { labId: 'lab', state: 'queued' }),
    runRecord('b', { labId: 'lab', state: 'queued', heldBy: 'x' }),
  ];
  useRunStore.setState({ summaries: Object.fromEntries(runs.map((run) => [run.id, summaryOf(run, 1)])) });
  render(
    <MantineProvider>
      <ApiProvider value={standIn({}).client}>
        <RunList labId="lab" runId="a" onSelectRun={() => undefined} />
      </ApiProvider>
    </MantineProvider>,
  );
  expect(screen.getByText('run b').closest('button')?.textContent).toContain('Held');
  expect(screen.getByText('run a').closest('button')?.textContent).toContain('Queued');
});
