// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { defaultExperiment } from '../../../shared/lab/lab.ts';
import { standIn } from '../../api/client.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { startI18n } from '../../i18n/index.ts';
import { CompareTable, type CompareColumn } from './CompareTable.tsx';

const columns = (...changes: Partial<RunSummary>[]): CompareColumn[] =>
  changes.map((change, index) => {
    const run = {
      id: `r${index}`,
      name: `Run ${index}`,
      labId: 'lab',
      nodes: 3,
      worldSize: 3,
      state: 'finished',
      createdAt: index,
      bestTop1: null,
      experiment: defaultExperiment(),
      ...change,
    } as unknown as RunSummary; // The fields that the table reads.
    return { id: run.id, name: run.name, stroke: { colour: '#000', dash: undefined }, runs: [run] };
  });
const show = (shown: CompareColumn[], rates: readonly number[]): void => {
  const figures = new Map(
    rates.map((imagesPerSecond, index) => [`r${index}`, { runId: `r${index}`, imagesPerSecond }]),
  );
  render(
    <MantineProvider>
      <ApiProvider value={standIn({}).client}>
        <CompareTable columns={shown} figures={figures} />
      </ApiProvider>
    </MantineProvider>,
  );
};
const chosen = (sync: string, learningRate: number): Partial<RunSummary> => ({
  experiment: { ...defaultExperiment(), sync, learningRate },
  estimate: {
    asked: 'auto',
    sync,
    secondsPerStep: 1,
    computeSeconds: 1,
    communicationSeconds: 0,
    bytesPerStep: 1,
    plainSecondsPerStep: 1,
    computeMeasured: true,
  },
});

beforeEach(async () => {
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
  }));
  await startI18n('en');
});
afterEach(() => document.body.replaceChildren());

describe('compared runs', () => {
  it('for which auto chose different modes get a warning that names what else differs', () => {
    show(columns(chosen('allreduce', 0.02), chosen('diloco:8', 0.1)), [100, 157]);
    const note = screen.getByRole('note');
    expect(note.textContent).toContain('differ in Learning rate, and also in synchronisation');
    expect(note.textContent).toContain('All-reduce');
  });

  it('with one mode get no warning, and no scaling efficiency for equal numbers of ranks', () => {
    show(columns(chosen('allreduce', 0.02), chosen('allreduce', 0.1)), [100, 157]);
    expect(screen.queryByRole('note')).toBeNull();
    const table = screen.getByRole('table');
    expect(within(table).getByText('1.57×')).toBeDefined();
    expect(within(table).queryByText('Scaling efficiency')).toBeNull();
  });

  it('of different numbers of ranks show how well they scale', () => {
    show(columns({ worldSize: 1 }, { worldSize: 3 }), [100, 240]);
    const row = screen.getByText('Scaling efficiency').closest('tr');
    expect([...(row?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent)).toEqual(['–', '80.0 %']);
  });
});
