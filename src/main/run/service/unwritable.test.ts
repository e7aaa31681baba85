import { afterEach, describe, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { createBench, type Bench, type BenchOptions } from '../testing/bench.ts';

let bench: Bench;
afterEach(async () => {
  await bench.close();
});

/** What other programs on this computer cause for a moment: a virus scanner, an indexer, a file server. */
const unwritable = new RinglabError('file_unwritable', { path: 'run.json', reason: 'EBUSY' });
/** Saving again does not help: the change is lost. */
const refused = new RinglabError('internal', {}, { detail: 'once' });

/** @param fails how often saving such a record fails */
async function open(
  isSuch: (run: RunRecord) => boolean,
  error: RinglabError,
  fails: number,
  options: BenchOptions = {},
): Promise<void> {
  let left = fails;
  bench = await createBench({
    nodes: 1,
    ...options,
    settings: { restart: { firstMs: 20, maxMs: 20 } },
    wrapStore: (store) => ({
      ...store,
      saveRun(run) {
        if (!isSuch(run) || left === 0) return store.saveRun(run);
        left -= 1;
        return Promise.reject(error);
      },
    }),
  });
}

const isFinished = ({ state }: RunRecord): boolean => state === 'finished';

describe('where a run’s record cannot be saved for a moment', () => {
  it.each([
    ['cannot be written', unwritable],
    ['is refused', refused],
  ])('its end is saved later: the file %s', async (_why, error) => {
    await open(isFinished, error, 2);
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'finished', 20);
    expect(bench.problems()).toEqual([expect.stringContaining(error.code)]);
    const again = await bench.runs.start(bench.lab);
    await bench.until(again.runId, 'finished');
  });

  it('a stop is saved later', async () => {
    await open(({ state }) => state === 'stopped', refused, 1);
    await bench.hold();
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'running');
    await bench.runs.stop(runId);
    await bench.goOn();
    await bench.until(runId, 'stopped', 20);
  });

  it('how a rank ended is saved with the run’s end, if not before', async () => {
    await open(({ ranks: [rank] }) => rank?.exit !== undefined, refused, 1);
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, 'finished');
    expect(run.ranks.map(({ state, exit }) => [state, exit?.code])).toEqual([['done', 0]]);
  });

  it('a preparation that failed is saved later', async () => {
    await open(({ state }) => state === 'failed', refused, 1, {
      prepare: () => Promise.reject(new RinglabError('node_no_compiler', {}, { where: 'Node 1' })),
    });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'failed', 20);
  });

  it('the next run of its queue starts later', async () => {
    const isNext = ({ state, lab }: RunRecord): boolean =>
      state === 'preparing' && lab.experiment.learningRate === 0.02;
    await open(isNext, refused, 2);
    const { runIds } = await bench.runs.queue(bench.lab, [
      { learningRate: 0.01 },
      { learningRate: 0.02 },
      { learningRate: 0.03 },
    ]);
    for (const runId of runIds) await bench.until(runId, 'finished');
    expect(bench.problems()).toEqual([expect.stringContaining('internal')]);
  });

  it('it is followed, though it was not recorded that it runs', async () => {
    await open(({ state }) => state === 'running', refused, 1);
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'finished', 20);
  });
});
