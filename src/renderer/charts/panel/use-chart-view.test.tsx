// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { useChartView } from './use-chart-view.ts';

afterEach(cleanup);

it('the charts of a run are as they were after another tab or another run, which has its own zoom and hidden lines', () => {
  const first = renderHook(() => useChartView('run a', 'epoch'));
  act(() => {
    first.result.current.setChoice('time');
    first.result.current.setLog(true);
    first.result.current.setStrength(0.9);
    first.result.current.setZoom('t', { from: 1, to: 2 });
    first.result.current.toggle('rank-0/step/loss');
  });
  first.unmount();
  const other = renderHook(() => useChartView('run b', 'epoch')).result.current;
  expect([other.choice, other.log, other.strength]).toEqual(['time', true, 0.9]);
  expect([other.zooms, other.hidden.size]).toEqual([{}, 0]);
  const again = renderHook(() => useChartView('run a', 'epoch')).result;
  expect(again.current.zooms).toEqual({ t: { from: 1, to: 2 } });
  expect([...again.current.hidden]).toEqual(['rank-0/step/loss']);
  const others = renderHook(() => useChartView('group a', 'epoch', undefined, 'run a')).result.current;
  expect([others.zooms, others.hidden.size]).toEqual([{ t: { from: 1, to: 2 } }, 0]);
  act(() => again.current.resetZoom());
  expect(again.current.zooms).toEqual({});
  // A script's scalars may have no epochs, and none of its runs was drawn along time yet.
  expect(renderHook(() => useChartView('script', 'step')).result.current.choice).toBe('step');
});
