import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { createBench, type Bench } from '../testing/bench.ts';

let bench: Bench;
afterEach(async () => {
  bench.store.full = false;
  await bench.close();
});

describe('while this computer’s disk is full', () => {
  it('a run that is stopped stops at once, and is recorded as stopped when there is room', async () => {
    bench = await createBench({ nodes: 1, epochs: 100 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    bench.store.full = true;
    const stopping = bench.runs.stop(runId);
    await expect.poll(() => existsSync(join(bench.rankFolder(runId, 0), 'exit.json'))).toBe(true);
    bench.store.full = false;
    await stopping;
    expect((await bench.until(runId, 'stopped')).error).toBeUndefined();
  });

  it('so does its preparation', async () => {
    let aborted = false;
    bench = await createBench({
      nodes: 1,
      prepare: (signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => {
            aborted = true;
            reject(new RinglabError('cancelled'));
          });
        }),
    });
    const { runId } = await bench.runs.start(bench.lab);
    bench.store.full = true;
    const stopping = bench.runs.stop(runId);
    await expect.poll(() => aborted).toBe(true);
    bench.store.full = false;
    await stopping;
    expect((await bench.until(runId, 'stopped')).error).toBeUndefined();
  });

  it('the app closes, though a stop is not recorded yet', async () => {
    bench = await createBench({ nodes: 1, epochs: 100 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    bench.store.full = true;
    const stopping = expect(bench.runs.stop(runId)).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => existsSync(join(bench.rankFolder(runId, 0), 'exit.json'))).toBe(true);
    await bench.runs.close();
    await stopping;
    bench.store.full = false;
    await (await bench.restart()).adopt();
    expect((await bench.until(runId, 'stopped')).error).toBeUndefined();
  });
});
