import { afterEach, expect, it } from 'vitest';
import { mustBeFree } from './node-use.ts';
import { createBench, type Bench } from '../testing/bench.ts';

let bench: Bench;
afterEach(async () => {
  await bench.close();
});

// That a GPU in use is refused: attacks/taken-gpu.test.ts.
it('two runs on the CPU of a computer with a GPU do not refuse each other', async () => {
  bench = await createBench({ nodes: 1, gpus: { found: 1, usable: 0 } });
  const { lab, runs } = bench;
  await bench.hold();
  for (const id of ['one', 'two']) {
    const { runId } = await runs.start({ ...lab, id });
    await bench.until(runId, 'running');
  }
  await bench.goOn();
});

it('a node is in use from the start of a run, before its first process, to its end', async () => {
  bench = await createBench({ nodes: 2, steps: 40, epochs: 1, secondsAStep: 0.05 });
  const { lab, runs } = bench;
  const [node] = lab.nodes;
  const asked = (): Promise<void> => mustBeFree(runs, lab.id, node?.id ?? '');
  await asked();
  const { runId } = await runs.start(lab);
  await expect(asked()).rejects.toMatchObject({
    code: 'node_in_use',
    params: { runs: `Three nodes (${runId})` },
  });
  await bench.until(runId, (run) => run.step > 1);
  await expect(asked()).rejects.toMatchObject({ code: 'node_in_use' });
  await mustBeFree(runs, lab.id, 'another');
  await mustBeFree(runs, 'another', node?.id ?? '');
  await runs.stop(runId);
  await bench.until(runId, 'stopped');
  await asked();
});
