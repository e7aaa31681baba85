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
        kinds.includes('step')
          ? [newest]
          : kinds.includes('start')
            ? [point(1000, 'start', { start_step: 0 })]
            : [],
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

  it('are those of rank 0 over the whole run, however many ranks write lines of the same kinds', async () => {
    const saves = 100;
    const lines = Array.from({ length: saves }, (_, at) =>
      Array.from({ length: 64 }, (__, rank): Point[] => {
        const [t, step] = [1000 + 120 * at, 100 * at];
        const save = (seq: number, file: string): Point => ({
          source: `rank-${rank}`,
          line: { v: 1, seq, t, kind: 'checkpoint', step, file },
        });
        return rank === 0
          ? [save(2 * at, 'checkpoint'), save(2 * at + 1, 'rank-state')]
          : [save(at, 'rank-state')];
      }).flat(),
    ).flat();
    const warning: Point = {
      source: 'rank-7',
      line: { v: 1, seq: 1000, t: 1060, kind: 'warning', message: 'slow' },
    };
    const { client } = standIn({
      'metrics.lines': ({ kinds, source, limit }) =>
        [...lines, warning]
          .filter((one) => kinds.includes(one.line.kind) && (source ?? one.source) === one.source)
          .slice(-limit),
    });
    const { result } = renderHook(() => useMarks(runRecord('r', { state: 'running' })), {
      wrapper: ({ children }) => <ApiProvider value={client}>{children}</ApiProvider>,
    });
    await waitFor(() => expect(result.current.marks).toHaveLength(saves + 1));
    expect(result.current.marks.find(({ kind }) => kind === 'warning')?.step).toBe(50);
    expect(result.current.timeline.stepAt(1180)).toBe(150);
  });
});
