// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { summaryOf } from '../../../shared/contract/api.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { startI18n } from '../../i18n/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { ParallelRuns } from './ParallelRuns.tsx';

beforeEach(async () => {
  await startI18n('en');
  furnishBrowser();
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1200);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const show = (count: number, onMark: (runIds: readonly string[]) => void) =>
  render(
    <MantineProvider>
      <ParallelRuns
        runs={Array.from({ length: count }, (_, index) =>
          summaryOf(runRecord(`r${String(index)}`, { state: 'finished', bestTop1: index }), 1),
        )}
        differ={new Set()}
        scalars={[]}
        values={new Map()}
        marked={new Set()}
        onMark={onMark}
        onOpen={() => undefined}
      />
    </MantineProvider>,
  );

it('more runs than can be drawn are said to be left out, and a range selects them as well', () => {
  const marked = vi.fn<(runIds: readonly string[]) => void>();
  show(450, marked);
  expect(document.querySelectorAll('path[data-run]')).toHaveLength(400);
  expect(screen.getByText(/The newest 400 of 450 runs are drawn/u)).toBeTruthy();
  fireEvent.keyDown(screen.getByRole('slider', { name: /Best/u }), { key: 'ArrowUp' });
  expect(marked.mock.lastCall?.[0]).toContain('r449');
});

it('nothing is said where all runs are drawn', () => {
  show(3, () => undefined);
  expect(document.querySelectorAll('path[data-run]')).toHaveLength(3);
  expect(screen.queryByText(/are drawn/u)).toBeNull();
});
