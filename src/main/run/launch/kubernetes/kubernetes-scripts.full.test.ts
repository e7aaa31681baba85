/**
 * Full test: own scripts as jobs of Kubernetes' own control plane, with the system's Python torch. Their pods run on stand-ins for its
 * machines (testing/nodes.ts).
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OnLostRank } from '../../../../shared/lab/lab.ts';
import { createRealBench, type RealBench } from '../../testing/real-services.ts';
import { runsScripts } from '../../testing/script-bench.ts';
import { linesOf } from '../../testing/stored-lines.ts';
import { clusterLab } from '../testing/cluster-lab.ts';
import { noControlPlane } from './testing/control-plane.ts';
import { raiseKubernetes, type RaisedKubernetes } from './testing/raised.ts';

/** Steps of half a second; it continues from its own checkpoint. */
const text = `
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo")
first = torch.load("state.pt")["step"] if os.path.exists("state.pt") else 0
for step in range(first, 80):
    if os.environ.get("FAILS") and step == 5 and dist.get_rank() == 1: raise ValueError("by itself")
    dist.all_reduce(torch.ones(1))
    print(f"step {step} loss: {1 / (step + 1):.4f}", flush=True)
    if dist.get_rank() == 0:
        torch.save({"step": step + 1}, "state.tmp"); os.replace("state.tmp", "state.pt")
    time.sleep(0.5)
`;

let raised: RaisedKubernetes;
let bench: RealBench;

async function start(onLostRank: OnLostRank, fails = false): Promise<string> {
  const lab = clusterLab(raised.target());
  bench = await createRealBench({ lab });
  const path = join(bench.dataFolder, 'project');
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'train.py'), text);
  const environment = fails ? [{ name: 'FAILS', value: '1' }] : [];
  lab.experiment = {
    ...lab.experiment,
    onLostRank,
    runtime: { type: 'system' },
    script: { source: { type: 'folder', path }, file: 'train.py', arguments: '', environment },
  };
  return (await bench.app.runs.start(lab)).runId;
}
/** As rank 0 printed them. */
const steps = async (runId: string): Promise<number[]> => {
  const { text: log } = await bench.app.runs.log({ runId, rank: 0, offset: 0, limit: 100_000 });
  return [...log.matchAll(/^step (\d+) /gm)].map(([, step]) => Number(step));
};
async function evictSecond(runId: string): Promise<void> {
  await expect.poll(async () => (await steps(runId)).length, { timeout: 200_000 }).toBeGreaterThan(5);
  const { job } = await bench.app.runs.get(runId);
  const [, second = ''] = await raised.podsOf(job?.id ?? '');
  const metadata = { name: second, namespace: 'default' };
  const path = `/api/v1/namespaces/default/pods/${second}/eviction`;
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata };
  expect(await raised.plane.request('POST', path, eviction)).toMatchObject({ status: 201 });
}

const works = noControlPlane === undefined && runsScripts;
describe.skipIf(!works)(
  `an own script on Kubernetes${works ? '' : ` (skipped: ${noControlPlane ?? 'no torch'})`}`,
  () => {
    beforeAll(async () => {
      raised = await raiseKubernetes();
    }, 7_200_000);
    afterEach(async () => {
      await bench.close();
      await expect.poll(raised.left, { timeout: 150_000 }).toEqual([]);
    }, 200_000);
    afterAll(async () => await raised.close());

    it(
      'that restarts is started again after a pod was evicted, and continues from its own checkpoint: one curve',
      { timeout: 600_000 },
      async () => {
        const runId = await start('restart');
        await evictSecond(runId);
        const run = await bench.until(runId, 'finished', 350);
        expect(run.attempt).toBe(2);
        expect(run.recovery?.restarts).toHaveLength(1);
        const lines = await linesOf(bench.app.store, runId, 'rank-0');
        const seen = lines.filter(({ kind }) => kind === 'scalar').map(({ step }) => step);
        expect(seen.filter((step) => step === 0)).toHaveLength(1);
        expect(seen.at(-1)).toBe(79);
      },
    );

    it('that does not is interrupted by that, and no pod is left', { timeout: 600_000 }, async () => {
      const runId = await start('stop');
      await evictSecond(runId);
      await expect(bench.until(runId, 'finished', 200)).rejects.toThrow(/the run is (interrupted|failed)/);
    });

    it('that fails by itself is not started again by its job', { timeout: 600_000 }, async () => {
      const runId = await start('restart', true);
      await expect(bench.until(runId, 'finished', 300)).rejects.toThrow('the run is failed');
      const run = await bench.app.runs.get(runId);
      expect(run.error).toMatchObject({ code: 'rank_failed', params: { rank: 1, code: 1 } });
      // Ringlab's own, which knows the limits.
      expect(run.recovery?.restarts).toHaveLength(1);
    });
  },
);
