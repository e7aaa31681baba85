import { afterEach, expect, it } from 'vitest';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { createBench, type Bench } from '../testing/bench.ts';
import type { Store } from '../../store/index.ts';

let bench: Bench;
/** Lists of all runs, of which there may be thousands. */
let whole = 0;
afterEach(async () => {
  await bench.close();
});

async function open(): Promise<void> {
  whole = 0;
  bench = await createBench({
    nodes: 1,
    prepare: (signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    wrapStore: (store): Store => ({
      ...store,
      listRuns(which) {
        if (which?.labId === undefined && which?.endedSince === undefined) whole += 1;
        return store.listRuns(which);
      },
    }),
  });
}

it('a sweep lists all runs once, however many are queued', async () => {
  await open();
  const { lab } = bench;
  await bench.store.saveRun(runRecord('earlier', { labId: lab.id, lab, name: lab.name, state: 'finished' }));
  const rates = Array.from({ length: 20 }, (_, index) => ({ learningRate: (index + 1) / 100 }));
  const { runIds } = await bench.runs.queue(lab, rates);
  expect(whole).toBe(1);
  const queued = await Promise.all(runIds.map((id) => bench.runs.get(id)));
  expect(queued.map(({ state }) => state)).toEqual(['preparing', ...Array<string>(19).fill('queued')]);
  expect(new Set(queued.map(({ name }) => name)).size).toBe(20);
});

it('a start lists all runs once, and a lab’s list none of another', async () => {
  await open();
  const { runId } = await bench.runs.start(bench.lab);
  expect(whole).toBe(1);
  await bench.store.saveRun(runRecord('other', { labId: 'another', state: 'finished', endedAt: 1000 }));
  expect((await bench.runs.list(bench.lab.id)).map(({ id }) => id)).toEqual([runId]);
  expect((await bench.runs.recent(2000)).map(({ id }) => id)).toEqual([runId]);
  expect((await bench.runs.recent(500)).map(({ id }) => id)).toContain('other');
  expect(bench.runs.underWay().map(({ id }) => id)).toEqual([runId]);
  expect(whole).toBe(1);
  await bench.runs.stop(runId);
  await bench.until(runId, 'stopped');
  expect(bench.runs.underWay()).toEqual([]);
});
