// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { summaryOf } from '../../shared/contract/api.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import { ApiProvider, type LabClient } from '../api/index.ts';
import { useCatalogues } from '../charts/series/use-catalogues.ts';
import { useWindowStore } from '../state/index.ts';
import { useFigures } from './compare/use-figures.ts';
import { useStepCost } from './detail/step-cost.ts';
import { useScalarValues } from './table/use-scalar-values.ts';

const live = runRecord('r', { state: 'running', step: 5 });
const summary = summaryOf(live, 1);
const script = { ...summary, experiment: { ...summary.experiment, script: {} } };
// The hook asks only whether there is a script.
const runs = [script as unknown as typeof summary];
const names: string[] = [];
const hooks: Record<string, () => unknown> = {
  'a step’s duration': () => useStepCost(live),
  figures: () => useFigures(runs),
  scalars: () => useScalarValues(runs, names),
  catalogues: () => useCatalogues(['r'], ['r']),
};

beforeEach(() => {
  vi.useFakeTimers();
  useWindowStore.setState({ problems: [] });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('what is asked every few seconds', () => {
  it.each(Object.keys(hooks))(
    'is asked one at a time, as the wire may be lost for hours: %s',
    async (name) => {
      const answers: ((value: unknown) => void)[] = [];
      const call = (): Promise<unknown> => new Promise((resolve) => answers.push(resolve));
      // The hooks make only requests.
      const api = { call } as unknown as LabClient;
      const wrapper = ({ children }: { children: ReactNode }) => (
        <ApiProvider value={api}>{children}</ApiProvider>
      );
      renderHook(hooks[name] ?? (() => undefined), { wrapper });
      expect(answers).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(3_600_000);
      expect(answers).toHaveLength(1);
      answers[0]?.(name === 'catalogues' ? { series: [] } : []);
      await vi.advanceTimersByTimeAsync(6000);
      expect(answers).toHaveLength(2);
    },
  );
});

describe('what is asked once of runs that have ended', () => {
  const ended = ['a', 'b'].map((id) => {
    const one = summaryOf(runRecord(id, { state: 'finished' }), 1);
    return { ...one, experiment: { ...one.experiment, script: {} } } as unknown as typeof one;
  });
  const once: Record<string, () => ReadonlyMap<string, unknown>> = {
    figures: () => useFigures(ended),
    scalars: () => useScalarValues(ended, names),
    catalogues: () => useCatalogues(['a', 'b'], []),
  };

  it.each(Object.keys(once))('is asked again until it is answered: %s', async (name) => {
    let broken = true;
    const asked: string[] = [];
    const call = (_: string, args: { runId?: string; runIds?: string[] }): Promise<unknown> => {
      const ids = args.runIds ?? [args.runId ?? ''];
      asked.push(...ids);
      // One of several requests fails, or the one for all.
      if (broken && ids.includes('a'))
        return Promise.reject(new RinglabError('connection_lost', { host: 'Ringlab' }));
      const found = ids.map((runId) => ({ runId, names: [], values: {} }));
      return Promise.resolve(args.runIds === undefined ? { series: [] } : found);
    };
    // The hooks make only requests.
    const api = { call } as unknown as LabClient;
    const wrapper = ({ children }: { children: ReactNode }) => (
      <ApiProvider value={api}>{children}</ApiProvider>
    );
    const { result } = renderHook(once[name] ?? (() => new Map<string, unknown>()), { wrapper });
    await act(() => vi.advanceTimersByTimeAsync(1000));
    expect([...result.current.keys()]).toEqual(name === 'catalogues' ? ['b'] : []);
    await act(() => vi.advanceTimersByTimeAsync(10_000));
    expect(useWindowStore.getState().problems).toHaveLength(1);
    broken = false;
    await act(() => vi.advanceTimersByTimeAsync(6000));
    expect([...result.current.keys()].toSorted()).toEqual(['a', 'b']);
    asked.length = 0;
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(asked).toEqual([]);
  });
});
