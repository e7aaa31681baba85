import { afterEach, expect, test } from 'vitest';
import { settleRuns, type ClosingAnswer } from './closing.ts';
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

test('nothing under way: nobody is asked', async () => {
  bench = await createBench();
  const { asked, ask } = answering('stay');
  expect(await settleRuns(bench.runs, ask)).toBe(true);
  expect(asked).toEqual([]);
});

test('kept running, it runs on; staying, the app stays; stopped, it has stopped with its checkpoint', async () => {
  const runId = await running();
  const { asked, ask } = answering('keep');
  expect(await settleRuns(bench.runs, ask)).toBe(true);
  expect(asked).toEqual([['Three nodes']]);
  expect(await settleRuns(bench.runs, answering('stay').ask)).toBe(false);
  expect((await bench.runs.get(runId)).state).toBe('running');
  expect(await settleRuns(bench.runs, answering('stop').ask)).toBe(true);
  expect((await bench.runs.get(runId)).state).toBe('stopped');
});

test('a run that does not stop holds the app up no longer than it may', async () => {
  const runId = await running();
  bench.reach.cut('node-2');
  await bench.until(runId, 'waiting');
  expect(await settleRuns(bench.runs, answering('stop').ask, 500)).toBe(true);
  expect((await bench.runs.get(runId)).state).toBe('stopping');
});
