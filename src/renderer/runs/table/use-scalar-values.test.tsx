// @vitest-environment jsdom
import { cleanup, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, it } from 'vitest';
import { summaryOf, type RequestArgs, type RunSummary } from '../../../shared/contract/api.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunScalarValues } from '../../../shared/run/scalar-values.ts';
import { ApiProvider, type LabClient } from '../../api/index.ts';
import { namesIn } from './scalar-columns.ts';
import { useScalarValues } from './use-scalar-values.ts';

afterEach(cleanup);

const scriptRun = (id: string): RunSummary => {
  const summary = summaryOf(runRecord(id, { state: 'finished' }), 1);
  // The hook asks only whether there is a script.
  return { ...summary, experiment: { ...summary.experiment, script: {} } } as unknown as RunSummary;
};

it('has the scalars of the listed runs alone, not of another lab’s or of deleted ones', async () => {
  const call = (_: string, { runIds }: RequestArgs<'run.scalarValues'>): Promise<RunScalarValues[]> =>
    Promise.resolve(
      runIds.map((runId) => ({
        runId,
        names: runId.startsWith('a') ? ['train/loss'] : ['reward'],
        values: {},
      })),
    );
  // The hook makes this one request.
  const api = { call } as unknown as LabClient;
  const wrapper = ({ children }: { children: ReactNode }) => (
    <ApiProvider value={api}>{children}</ApiProvider>
  );
  const none: string[] = [];
  const { result, rerender } = renderHook(({ runs }) => useScalarValues(runs, none), {
    wrapper,
    initialProps: { runs: [scriptRun('a1'), scriptRun('a2')] },
  });
  await waitFor(() => expect(namesIn(result.current)).toEqual(['train/loss']), { timeout: 30_000 });
  rerender({ runs: [scriptRun('b1')] });
  await waitFor(() => expect(namesIn(result.current)).toContain('reward'), { timeout: 30_000 });
  expect(namesIn(result.current)).toEqual(['reward']);
  rerender({ runs: [] });
  expect(namesIn(result.current)).toEqual([]);
});
