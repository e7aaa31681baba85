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
