import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { createBench, type Bench } from '../testing/bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench({
    nodes: 1,
    adoptsFirst: true,
    prepare: (signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  });
});
afterEach(async () => {
  await bench.close();
});

const save = (id: string, createdAt: number, change: Partial<RunRecord>): Promise<void> => {
  const { lab } = bench;
  return bench.store.saveRun(runRecord(id, { labId: lab.id, lab, createdAt, ...change }));
};
const states = async (ids: readonly string[]): Promise<(string | undefined)[]> => {
  const found = await Promise.all(ids.map((id) => bench.runs.get(id)));
  return found.map(({ state, heldBy }) => (heldBy === undefined ? state : `${state}, held`));
};
/** Queues three runs, and waits until the first one is being prepared. */
const sweep = async (): Promise<string[]> => {
  await bench.runs.adopt();
  const seeds = [{ seed: 1 }, { seed: 2 }, { seed: 3 }];
  const { runIds } = await bench.runs.queue(bench.lab, seeds);
  expect(await states(runIds)).toEqual(['preparing', 'queued', 'queued']);
  return runIds;
};

describe('a run that the queue starts', () => {
  it('waits again where the app closes while it is prepared, as a command does whose own run has ended', async () => {
    const runIds = await sweep();
    const runs = await bench.restart();
    await runs.adopt();
    expect(await states(runIds)).toEqual(['queued', 'queued', 'queued']);
    await runs.startWaiting(bench.lab.id);
    expect(await states(runIds)).toEqual(['preparing', 'queued', 'queued']);
  });

  it('is interrupted there where the user resumed it', async () => {
    const runIds = await sweep();
    const [first = ''] = runIds;
    await bench.runs.stop(first);
    await bench.until(first, 'stopped');
    await bench.runs.resume(first);
    const runs = await bench.restart();
    await runs.adopt();
    expect(await states([first])).toEqual(['interrupted']);
  });
});

describe('runs that wait when the app opens', () => {
  it('start where the last app ended between the end of a run and the next start', async () => {
    await save('a', 1, { state: 'finished', endedAt: 5 });
    await save('b', 2, { state: 'queued' });
    await save('c', 3, { state: 'queued' });
    await bench.runs.adopt();
    await bench.runs.startWaiting();
    expect(await states(['a', 'b', 'c'])).toEqual(['finished', 'preparing', 'queued']);
  });

  it('start where the run before them was resumed, and cut while it was prepared', async () => {
    await save('a', 1, { state: 'preparing', attempt: 2, step: 9 });
    await save('b', 2, { state: 'queued' });
    await bench.runs.adopt();
    await bench.runs.startWaiting();
    expect(await states(['a', 'b'])).toEqual(['interrupted', 'preparing']);
  });

  it('stay where they are held, are in the bin, or are another lab’s', async () => {
    await save('a', 1, { state: 'stopped', endedAt: 5 });
    await save('b', 2, { state: 'queued', heldBy: 'a' });
    await save('c', 3, { state: 'queued', binned: { t: Date.now() / 1000, nodes: false } });
    await save('d', 4, { state: 'queued', labId: 'other' });
    await bench.runs.adopt();
    await bench.runs.startWaiting(bench.lab.id);
    expect(await states(['a', 'b', 'c', 'd'])).toEqual(['stopped', 'queued, held', 'queued', 'queued']);
  });
});

it('a run that is taken out of the bin starts where its turn came meanwhile, unless it is held', async () => {
  const binned = { t: Date.now() / 1000, nodes: false };
  await save('b', 2, { state: 'queued', binned });
  await save('c', 3, { state: 'queued', binned, heldBy: 'a' });
  await bench.runs.adopt();
  expect((await bench.runs.restore('c')).state).toBe('queued');
  await bench.runs.restore('b');
  await bench.until('b', 'preparing');
  expect(await states(['b', 'c'])).toEqual(['preparing', 'queued, held']);
});
