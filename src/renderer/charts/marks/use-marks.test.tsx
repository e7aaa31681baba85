// @vitest-environment jsdom
import { cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { Point } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { standIn } from '../../api/client.fixture.ts';
import { ApiProvider } from '../../api/index.ts';
import { useMarks } from './use-marks.ts';

const point = (t: number, kind: string, fields: Record<string, unknown>): Point => ({
  source: 'rank-0',
  line: { v: 1, seq: t, t, kind, ...fields },
});
afterEach(cleanup);

describe('the marks of a running run', () => {
  it('lie at the step that had been reached, which is asked for with the news, not with every record', async () => {
    let newest = point(1100, 'step', { step: 100 });
    const { client, calls } = standIn({
      'metrics.lines': ({ kinds }) =>
        kinds.includes('step') ? [newest] : [point(1000, 'start', { start_step: 0 })],
    });
    const asked = (): number => calls.filter(({ name }) => name === 'metrics.lines').length;
    const run = runRecord('r', { state: 'running' });
    const { result, rerender } = renderHook((shown: RunRecord) => useMarks(shown), {
      initialProps: run,
      wrapper: ({ children }) => <ApiProvider value={client}>{children}</ApiProvider>,
    });
    await waitFor(() => expect(result.current.timeline.stepAt(1050)).toBe(50));
    const before = asked();
    newest = point(1500, 'step', { step: 500 });
    for (let step = 101; step <= 500; step += 1) rerender({ ...run, events: [] });
    expect(asked()).toBe(before);
    rerender({ ...run, events: [{ t: 1400, kind: 'link', what: 'N1 – N2' }] });
    await waitFor(() => expect(result.current.marks.map(({ step }) => step)).toEqual([400]));
  });
});
