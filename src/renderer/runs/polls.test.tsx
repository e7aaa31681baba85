// @vitest-environment jsdom
import { cleanup, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { summaryOf } from '../../shared/contract/api.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import { ApiProvider, type LabClient } from '../api/index.ts';
import { useCatalogues } from '../charts/series/use-catalogues.ts';
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

beforeEach(() => void vi.useFakeTimers());
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
