// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { ApiProvider, type LabClient } from '../../api/index.ts';
import { notifyLog } from '../../state/runs.ts';
import { useFoundLines } from './use-found-lines.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function searched() {
  const answers: ((value: unknown) => void)[] = [];
  const texts: string[] = [];
  const call = (_: string, args: { text: string }): Promise<unknown> => {
    texts.push(args.text);
    return new Promise((resolve) => answers.push(resolve));
  };
  // The hook makes only requests.
  const api = { call } as unknown as LabClient;
  const wrapper = ({ children }: { children: ReactNode }) => (
    <ApiProvider value={api}>{children}</ApiProvider>
  );
  const run = runRecord('r', { state: 'running' });
  const { result, rerender } = renderHook(({ text }) => useFoundLines(run, text), {
    wrapper,
    initialProps: { text: 'loss' },
  });
  const answer = (total: number, more: object = {}): Promise<void> =>
    act(() => {
      answers.at(-1)?.({ lines: [], total, ...more });
      return Promise.resolve();
    });
  return { result, rerender, texts, answer };
}
const grow = (rank = 0): void => notifyLog('r', { rank, size: 100 });

it('a search of growing logs that takes long is not started again beside itself, and once more after it', async () => {
  const { texts, answer, result } = searched();
  await vi.advanceTimersByTimeAsync(200);
  for (let i = 0; i < 60; i += 1) {
    grow();
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(texts).toHaveLength(1);
  await answer(1);
  expect(result.current.found?.total).toBe(1);
  await vi.advanceTimersByTimeAsync(1500);
  expect(texts).toHaveLength(2);
  await answer(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(texts).toHaveLength(2);
  grow();
  await vi.advanceTimersByTimeAsync(1500);
  expect(texts).toHaveLength(3);
});

it('another text is searched for at once', async () => {
  const { texts, rerender } = searched();
  await vi.advanceTimersByTimeAsync(200);
  rerender({ text: 'error' });
  await vi.advanceTimersByTimeAsync(200);
  expect(texts).toEqual(['loss', 'error']);
});

it('a log whose copy is full is not searched again when it grows, but others are', async () => {
  const { texts, answer } = searched();
  await vi.advanceTimersByTimeAsync(200);
  await answer(1, { beyond: { ranks: [0], bytes: 100 } });
  grow(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(texts).toHaveLength(1);
  grow(1);
  await vi.advanceTimersByTimeAsync(1500);
  expect(texts).toHaveLength(2);
});
