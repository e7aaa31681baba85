// @vitest-environment jsdom
import { cleanup, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, it } from 'vitest';
import type { RequestArgs } from '../../../shared/contract/api.ts';
import type { Point } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { ApiProvider, type LabClient } from '../../api/index.ts';
import { useStarts } from './use-starts.ts';

afterEach(cleanup);

const line = (t: number, kind: string, fields: object): Point => ({
  source: 'rank-0',
  line: { ...fields, v: 1, seq: t, t, kind },
});
/** Of epochs 2 and 3, without a rank, 200 steps; of all others 100. */
const ends = [100, 200, 400, 600, 700].map((step, epoch) => line(step, 'epoch', { epoch, step }));
const stored = (...starts: Point[]): Point[] => [...starts, ...ends];
const start = (t: number, epoch: number, step: number): Point =>
  line(t, 'start', { start_epoch: epoch, start_step: step, steps_per_epoch: 100, next_epoch_steps: 100 });

async function read(points: readonly Point[], run: RunRecord) {
  const call = (_: string, { kinds, source }: RequestArgs<'metrics.lines'>): Promise<Point[]> =>
    Promise.resolve(points.filter((one) => one.source === source && kinds.includes(one.line.kind)));
  // The hook makes this one request.
  const api = { call } as unknown as LabClient;
  const wrapper = ({ children }: { children: ReactNode }) => (
    <ApiProvider value={api}>{children}</ApiProvider>
  );
  const { result } = renderHook(() => useStarts(run), { wrapper });
  await waitFor(() => expect(result.current.epochs).toBeDefined());
  return result.current.epochs;
}

it('knows the longer epochs of a run that was resumed after it had gone on with fewer ranks', async () => {
  const absences = [{ ranks: [1], from: 250, step: 200 }];
  const run = runRecord('r', { recovery: { restarts: [], absences } });
  const epochs = await read(stored(start(0, 0, 0), start(900, 5, 700)), run);
  expect([epochs?.epochAt(700), epochs?.epochAt(400), epochs?.stepAt(10)]).toEqual([5, 3, 1200]);
});

it('knows where the run began that goes on from the checkpoint of another', async () => {
  const checkpoint = { runId: 'q', file: 'checkpoint.pth.tar' as const, epoch: 5 };
  const step = line(901, 'step', { epoch: 5, step: 550, batch: 0, batches: 100 });
  const epochs = await read([start(900, 5, 550), step], runRecord('r', { origin: { checkpoint } }));
  expect([epochs?.epochAt(550), epochs?.stepAt(10)]).toEqual([5, 1050]);
});
