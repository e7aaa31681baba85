import { afterEach, describe, expect, it } from 'vitest';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { createBench, type Bench } from '../testing/bench.ts';
import type { Store } from '../../store/index.ts';

let bench: Bench;
afterEach(async () => {
  await bench.close();
});

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

/** A store that takes its time to save, as a disk does, and preparations that last until they are aborted. */
async function open(): Promise<void> {
  bench = await createBench({
    nodes: 1,
    prepare: (signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    wrapStore: (store): Store => ({
      ...store,
      async saveRun(run) {
        await turns(3);
        await store.saveRun(run);
      },
    }),
  });
}

describe('runs that the user removes from the queue while it is held', () => {
  const held = async (): Promise<{ first: string; others: string[] }> => {
    await open();
    const rates = Array.from({ length: 12 }, (_, index) => ({ learningRate: (index + 1) / 100 }));
    const [first = '', ...others] = (await bench.runs.queue(bench.lab, rates)).runIds;
    await bench.until(first, 'preparing');
    await bench.runs.stop(first);
    return { first, others };
  };
  const settled = async (first: string): Promise<void> => {
    await bench.until(first, 'stopped');
    // What waited is held one after another.
    await bench.runs.close();
  };

  it('do not come back', async () => {
    const { first, others } = await held();
    await Promise.all(others.map((id) => bench.runs.stop(id)));
    await settled(first);
    const states = await Promise.all(others.map(async (id) => (await bench.store.getRun(id))?.state));
    expect(new Set(states)).toEqual(new Set(['stopped']));
  });

  it('stay in the bin', async () => {
    const { first, others } = await held();
    await Promise.all(others.map((id) => bench.runs.bin(id, { nodes: false })));
    await settled(first);
    expect((await bench.runs.list(undefined, true)).map(({ id }) => id).sort()).toEqual(others.sort());
  });
});

it('a run that leaves the queue while it is about to start is stopped', async () => {
  await open();
  const [first = '', second = ''] = (await bench.runs.queue(bench.lab, [{ seed: 1 }, { seed: 2 }])).runIds;
  await bench.until(first, 'preparing');
  const { lab } = bench;
  await bench.store.saveRun(runRecord('later', { labId: 'other', lab, state: 'queued' }));
  const started = bench.runs.resume('later').catch(() => undefined);
  await bench.runs.stop('later');
  await started;
  await bench.until('later', 'stopped');
  expect((await bench.runs.get(second)).state).toBe('queued');
});

it('two changes of an ended run at once are both kept', async () => {
  await open();
  await bench.store.saveRun(runRecord('ended', { labId: 'lab-1', lab: bench.lab, state: 'finished' }));
  await Promise.all([
    bench.runs.annotate('ended', { notes: 'the best one' }),
    bench.runs.annotate('ended', { starred: true }),
    bench.runs.bin('ended', { nodes: false }),
  ]);
  expect(await bench.store.getRun('ended')).toMatchObject({
    ...{ notes: 'the best one', starred: true, binned: { nodes: false } },
  });
});
