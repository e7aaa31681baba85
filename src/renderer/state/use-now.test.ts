// @vitest-environment jsdom
import { cleanup, renderHook } from '@testing-library/react';
import { act } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useQuarter } from './use-now.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it('the quarter of an hour goes on by itself, so that a new day begins in every time zone', async () => {
  const begin = Date.UTC(2026, 0, 1, 18, 29) / 1000;
  vi.setSystemTime(begin * 1000);
  let renders = 0;
  const { result } = renderHook(() => {
    renders += 1;
    return useQuarter();
  });
  expect(result.current).toBe(begin - 14 * 60);
  await act(() => vi.advanceTimersByTimeAsync(2 * 60_000));
  // Midnight in India.
  expect(result.current).toBe(Date.UTC(2026, 0, 1, 18, 30) / 1000);
  const before = renders;
  await act(() => vi.advanceTimersByTimeAsync(60 * 60_000));
  expect(result.current).toBe(Date.UTC(2026, 0, 1, 19, 30) / 1000);
  expect(renders - before).toBeLessThan(12);
});
