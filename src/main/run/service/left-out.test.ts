/** A node that is gone for good, with a fake trainer: the others go on without its rank, and another node can take its place. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createBench, type Bench } from '../testing/bench.ts';

let bench: Bench;
afterEach(async () => {
  await bench.close();
});

it('a run does not wait for a node that is out of reach once the others go on without it, and the node can be replaced', async () => {
  bench = await createBench({ nodes: 4, epochs: 1000, settings: { endingPatience: 500 } });
  const [, , lost, spare] = bench.lab.nodes;
  if (lost === undefined || spare === undefined) throw new Error('no fourth node');
  const lab = structuredClone(bench.lab);
  lab.experiment.onLostRank = 'continue';
  const drawn = structuredClone(lab);
  lab.nodes = lab.nodes.filter(({ id }) => id !== spare.id);
  const { runId } = await bench.runs.start(lab);
  await bench.until(runId, (run) => run.step >= 1);
  bench.reach.cut(lost.id);
  await bench.until(runId, 'waiting');
  await writeFile(join(bench.data, 'membership'), '"generation":1,"step":1,"ranks":[0,1],"lost":[2]');
  const fewer = await bench.until(runId, (run) => run.memberships !== undefined && run.state === 'running');
  expect(Object.keys(fewer.unreachable)).toEqual([lost.id]);
  await bench.runs.rejoin(runId, [{ nodeId: lost.id, by: spare.id }], drawn);
  const again = await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running');
  expect(again.ranks.map(({ nodeId, state }) => [nodeId, state])).toEqual([
    ['node-0', 'running'],
    ['node-1', 'running'],
    ['node-3', 'running'],
  ]);
});

it('a rank that is frozen when the others stop is killed as soon as they go on without it', async () => {
  bench = await createBench({ nodes: 3, epochs: 1000, settings: { stopGrace: 3_600_000 } });
  bench.lab.experiment.onLostRank = 'continue';
  const { runId } = await bench.runs.start(bench.lab);
  const { ranks } = await bench.until(runId, (run) => run.step >= 1);
  await bench.hold();
  const { pid: frozen } = ranks[2]?.process ?? {};
  if (frozen === undefined) throw new Error('rank 2 has no process');
  process.kill(frozen, 'SIGSTOP');
  await bench.runs.stop(runId);
  await writeFile(join(bench.data, 'membership'), '"generation":1,"step":1,"ranks":[0,1],"lost":[2]');
  await bench.goOn();
  const run = await bench.until(runId, 'stopped');
  expect(run.ranks.map(({ exit }) => exit?.code ?? exit?.signal)).toEqual([7, 7, 9]);
});
