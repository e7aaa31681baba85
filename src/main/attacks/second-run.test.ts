/**
 * Attack: the app is killed during a run and the same lab is started again: never two sets of ranks on the same
 * nodes.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createBench, killBelow, type Bench, type BenchOptions } from '../run/testing/bench.ts';

let bench: Bench;
const open = async (options?: BenchOptions): Promise<Bench> => (bench = await createBench(options));
afterEach(async () => {
  await bench.close();
});

const runFolders = (): Promise<string[]> => readdir(join(bench.folder, 'node-0', '.ringlab', 'runs'));

describe('an app that starts after another was killed', () => {
  it('finding: a start requested at once waits for the probe of the nodes, and is refused if a run is active', async () => {
    await open({ secondsAStep: 0.1, epochs: 20, adoptsFirst: true });
    await bench.runs.adopt();
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    const again = await bench.restart();
    const second = again.start(bench.lab);
    const refused = expect(second).rejects.toMatchObject({
      code: 'run_wrong_state',
      params: { run: runId },
    });
    await again.adopt();
    await refused;
    expect(await runFolders()).toEqual([runId]);
    await again.stop(runId);
    await bench.until(runId, 'stopped');
  });

  it('if the ranks have ended, the old run is recorded as ended before the new one starts', async () => {
    await open({ secondsAStep: 0.1, epochs: 20, nodes: 2, adoptsFirst: true });
    await bench.runs.adopt();
    const first = await bench.runs.start(bench.lab);
    await bench.until(first.runId, (run) => run.step >= 1);
    await bench.runs.close();
    await killBelow(bench.folder);
    const again = await bench.restart();
    const second = again.start({ ...bench.lab, experiment: { ...bench.lab.experiment, epochs: 1 } });
    await again.adopt();
    const { runId } = await second;
    expect(runId).not.toBe(first.runId);
    expect(await again.get(first.runId)).toMatchObject({ state: 'interrupted' });
    await bench.until(runId, 'finished');
  });

  it('killed while a stop waited for preparing: the run has ended, and does not stay in ‘stopping’', async () => {
    await open({ prepare: () => new Promise(() => undefined), adoptsFirst: true });
    await bench.runs.adopt();
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, 'preparing');
    const again = await bench.restart();
    await bench.store.saveRun({ ...run, state: 'stopping' });
    await again.adopt();
    expect(await again.get(runId)).toMatchObject({ state: 'interrupted' });
  });

  it('killed during a start, with some ranks running: they are stopped, and no second one is started', async () => {
    await open({ secondsAStep: 0.1, epochs: 50, adoptsFirst: true });
    await bench.runs.adopt();
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, (one) => one.step >= 1);
    await bench.runs.close();
    // As the record and the nodes are where the app is killed between the first rank's start and the others'.
    for (const { directory } of run.ranks.slice(1)) {
      await killBelow(directory);
      for (const file of await readdir(directory))
        if (['pid', 'exit.json'].includes(file)) await writeFile(join(directory, file), '');
    }
    await bench.store.saveRun({
      ...run,
      state: 'starting',
      ranks: run.ranks.map((rank) => ({ ...rank, state: 'pending', process: undefined })),
    });
    const again = await bench.restart();
    const second = again.start({ ...bench.lab, experiment: { ...bench.lab.experiment, epochs: 1 } });
    second.catch(() => undefined);
    await again.adopt();
    await bench.until(runId, 'interrupted');
    expect((await again.get(runId)).ranks[0]?.exit).toBeDefined();
    await second.then(
      (started) => bench.until(started.runId, 'finished'),
      (error: unknown) => expect(error).toMatchObject({ code: 'run_wrong_state', params: { run: runId } }),
    );
  });
});
