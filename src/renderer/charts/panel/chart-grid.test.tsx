// @vitest-environment jsdom
/** The enlarged chart of a panel, and what remains where it is no longer drawn. */
import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scalarField } from '../../../shared/run/run-outputs.ts';
import { standIn } from '../../api/client.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { startI18n } from '../../i18n/index.ts';
import { furnishBrowser } from '../../shell/window.fixture.tsx';
import { mantineTheme } from '../../theme/index.ts';
import { epochSteps } from '../scale/epoch-steps.ts';
import type { ComparedRun } from '../series/compare-list.ts';
import { CompareCharts } from './CompareCharts.tsx';

const entry = (kind: string, field: string) => ({
  ...{ source: 'rank-0', kind, field, points: 50, steps: 50, epochs: 0 },
});
const run = { start: 0, evaluating: [0], steady: 0 };

beforeEach(async () => {
  furnishBrowser();
  await startI18n('en');
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1200);
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(800);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('all charts come back where the enlarged one is drawn as a scalar from now on', async () => {
  vi.useFakeTimers();
  let hasLogged = false;
  const { client } = standIn({
    'metrics.series': () => [],
    'metrics.catalogue': ({ runId }) =>
      runId === 'n' ? [entry('step', 'loss')] : hasLogged ? [entry('scalar', scalarField('train/loss'))] : [],
  });
  const trained: ComparedRun = { ...run, id: 'n', epochs: epochSteps([], 10), isScript: false };
  const script: ComparedRun = { ...run, id: 's', epochs: undefined, isScript: true };
  const lines = [trained, script].map((one) => ({
    ...{ id: one.id, name: one.id, stroke: { colour: 'red', dash: undefined }, runs: [one] },
  }));
  render(
    <MantineProvider theme={mantineTheme}>
      <ApiProvider value={client}>
        <CompareCharts labId="lab" lines={lines} live={['s']} />
      </ApiProvider>
    </MantineProvider>,
  );
  const charts = (): string[] =>
    [...document.querySelectorAll('[data-chart]')].map((one) => one.getAttribute('data-chart') ?? '');
  await act(() => vi.advanceTimersByTimeAsync(1000));
  fireEvent.click(screen.getByRole('button', { name: 'Enlarge Loss' }));
  expect(charts()).toEqual(['loss']);
  hasLogged = true;
  await act(() => vi.advanceTimersByTimeAsync(6000));
  expect(charts().length).toBeGreaterThan(1);
});
