import { afterEach, expect, test } from 'vitest';
import type { RunState } from '../../shared/run/run.ts';
import { needApp, settleRuns, type ClosingAnswer } from './closing.ts';
import { createBench, type Bench } from '../run/testing/bench.ts';

let bench: Bench;
afterEach(() => bench.close());
const running = async (): Promise<string> => {
  bench = await createBench({ epochs: 100 });
  const { runId } = await bench.runs.start(bench.lab);
  await bench.until(runId, (run) => run.step >= 1);
  return runId;
};
const answering = (answer: ClosingAnswer, asked: string[][] = []) => ({
  asked,
  ask: (runs: readonly { name: string }[]) => {
    asked.push(runs.map(({ name }) => name));
    return Promise.resolve(answer);
  },
});

test('closes without a question if nothing is running', async () => {
  bench = await createBench();
  const { asked, ask } = answering('stay');
  expect(await settleRuns(bench.runs, ask)).toBe(true);
  expect(asked).toEqual([]);
});

test('an active run goes on, stops with a checkpoint, or keeps the app open, as the user chooses', async () => {
  const runId = await running();
  const { asked, ask } = answering('keep');
  expect(await settleRuns(bench.runs, ask)).toBe(true);
  expect(asked).toEqual([['Three nodes']]);
  expect(await settleRuns(bench.runs, answering('stay').ask)).toBe(false);
  expect((await bench.runs.get(runId)).state).toBe('running');
  expect(await settleRuns(bench.runs, answering('stop').ask)).toBe(true);
  expect((await bench.runs.get(runId)).state).toBe('stopped');
});

test('a run that does not stop delays closing by the limit at most', async () => {
  const runId = await running();
  bench.reach.cut('node-2');
  await bench.until(runId, 'waiting');
  expect(await settleRuns(bench.runs, answering('stop').ask, 500)).toBe(true);
  expect((await bench.runs.get(runId)).state).toBe('stopping');
});

test('where this computer’s disk is full it delays closing by the limit, too', async () => {
  const runId = await running();
  bench.store.full = true;
  try {
    expect(await settleRuns(bench.runs, answering('stop').ask, 500)).toBe(true);
  } finally {
    bench.store.full = false;
  }
  await bench.until(runId, 'stopped');
});

test('a run of a queue that holds is not asked about, and stays queued', async () => {
  bench = await createBench({ epochs: 100 });
  const { runIds } = await bench.runs.queue(bench.lab, [{}, {}]);
  const [first = '', second = ''] = runIds;
  await bench.until(first, (run) => run.step >= 1);
  const { asked, ask } = answering('stop');
  expect(await settleRuns(bench.runs, ask)).toBe(true);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toHaveLength(1);
  expect((await bench.runs.get(first)).state).toBe('stopped');
  expect((await bench.runs.get(second)).state).toBe('queued');
  expect(await settleRuns(bench.runs, answering('stay', asked).ask)).toBe(true);
  expect(asked).toHaveLength(1);
});

test('a run of a queue that starts while the question is open is stopped, too', async () => {
  bench = await createBench({ steps: 40 });
  const { runIds } = await bench.runs.queue(bench.lab, [{ epochs: 1 }, {}, {}]);
  const [first = '', second = '', third = ''] = runIds;
  await bench.until(first, (run) => run.step >= 1);
  const asked: number[] = [];
  const ask = async (runs: readonly unknown[]): Promise<ClosingAnswer> => {
    asked.push(runs.length);
    await bench.until(second, (run) => run.step >= 1);
    return 'stop';
  };
  expect(await settleRuns(bench.runs, ask)).toBe(true);
  expect(asked).toEqual([1]);
  const states = await Promise.all(
    [first, second, third].map(async (id) => (await bench.runs.get(id)).state),
  );
  expect(states).toEqual(['finished', 'stopped', 'queued']);
});

test('a queued run needs the app only where its turn comes by itself', () => {
  const run = (labId: string, state: RunState, endedAt?: number) => ({ labId, state, endedAt });
  const queued = run('a', 'queued');
  expect(needApp([], 1000)).toBe(false);
  expect(needApp([run('a', 'finished', 990)], 1000)).toBe(false);
  for (const state of ['preparing', 'running', 'waiting', 'stopping'] as const)
    expect(needApp([run('a', state)], 1000), state).toBe(true);
  expect(needApp([queued, run('a', 'running')], 1000)).toBe(true);
  // Between two runs of a queue.
  expect(needApp([queued, run('a', 'finished', 990)], 1000)).toBe(true);
  // It holds, or another lab's run has ended.
  expect(needApp([queued, run('a', 'failed', 900)], 1000)).toBe(false);
  expect(needApp([queued, run('b', 'finished', 990)], 1000)).toBe(false);
  expect(needApp([queued], 1000)).toBe(false);
});

test('a run whose checkpoints are still in its pods needs the app as long as these live', () => {
  const run = { labId: 'a', state: 'finished' as const, endedAt: 1000 };
  expect(needApp([run], 2000)).toBe(false);
  expect(needApp([{ ...run, unfetched: true }], 2000)).toBe(true);
  expect(needApp([{ ...run, unfetched: true }], 9000)).toBe(false);
});
