/** How the ranks of a job start that Slurm starts again, by the files that the app wrote for them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createStandInCluster, type StandInCluster } from './testing/stand-in-cluster.ts';

let folder: string;
let cluster: StandInCluster | undefined;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-again-'))));
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

it('a rank saves as often as at the first start, where the experiment does not say how often', async () => {
  cluster = await createStandInCluster({ folder, nodes: 2, steps: 3, every: 0.01 });
  const { runs, lab } = cluster;
  lab.experiment.onLostRank = 'restart';
  const { runId } = await runs.start(lab);
  await expect.poll(async () => (await runs.get(runId)).state, { timeout: 30_000 }).toBe('finished');
  const script = await readFile(join(folder, 'home/.ringlab/runs', runId, 'rank-1/launch.sh'), 'utf8');
  expect(script.match(/--resume/g)).toHaveLength(1);
  expect(script.match(/--checkpoint-every'? '?\d+/g)).toHaveLength(2);
});
