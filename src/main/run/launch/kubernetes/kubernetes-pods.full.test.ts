/**
 * Full test: runs of the real trainer on a Kubernetes cluster without a claim: each drawn node is a pod with its own disk, in which it is
 * prepared and trains as on a machine that is reached over SSH. The cluster is that of kubernetes-runs.full.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../../testing/real-services.ts';
import { clusterLab, runsToItsEnd, stopsAndResumes } from '../testing/cluster-lab.ts';
import { noControlPlane } from './testing/control-plane.ts';
import { missingImage } from './testing/nodes.ts';
import { raiseKubernetes, type RaisedKubernetes } from './testing/raised.ts';

let raised: RaisedKubernetes;
let bench: RealBench;

const open = async (
  change: Partial<KubernetesTarget> = {},
  size: { epochs?: number; cpus?: number } = {},
): Promise<RealBench> =>
  (bench = await createRealBench({ lab: clusterLab(raised.withoutClaim(change), size) }));
/** Also while the app is open. */
const nothingIsLeft = async (): Promise<void> =>
  await expect.poll(raised.left, { timeout: 150_000 }).toEqual([]);

const why = noControlPlane ?? (trainerIsBuilt ? undefined : 'no trainer');
describe.skipIf(why !== undefined)(
  `a lab on a Kubernetes cluster without a claim${why === undefined ? '' : ` (skipped: ${why})`}`,
  { timeout: 600_000 },
  () => {
    beforeAll(async () => {
      raised = await raiseKubernetes();
    }, 7_200_000);
    afterEach(async () => {
      await nothingIsLeft();
      await bench.close();
    }, 200_000);
    afterAll(async () => await raised.close());

    it('runs to its end in its pods; the best model is home before they end', async () => {
      await open();
      const runId = await runsToItsEnd(bench);
      await nothingIsLeft();
      const best = await bench.app.runs.artifact(runId, 'model_best.pth.tar');
      expect(best.bytes).toBeGreaterThan(1_000_000);
      expect(bench.app.problems).toEqual([]);
    });

    it('is stopped, its pods end, and new ones continue from the checkpoint that was brought home: one curve', async () => {
      await open({}, { epochs: 4 });
      await stopsAndResumes(bench, nothingIsLeft);
    });

    it('a pod that is evicted interrupts the run, with the cluster’s word', async () => {
      await open({}, { epochs: 2000 });
      const { runId } = await bench.app.runs.start(bench.lab);
      await bench.until(runId, (run) => run.epochsCompleted >= 1);
      const [job = ''] = (await raised.left()).flatMap((one) => one.match(/^jobs\/(.+)$/)?.[1] ?? []);
      const [, second = ''] = await raised.podsOf(job);
      const eviction = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: second, namespace: 'default' },
      };
      const path = `/api/v1/namespaces/default/pods/${second}/eviction`;
      expect(await raised.plane.request('POST', path, eviction)).toMatchObject({ status: 201 });
      await expect(bench.until(runId, 'finished')).rejects.toThrow('the run is interrupted');
      const { error } = await bench.app.runs.get(runId);
      expect(error).toMatchObject({ code: 'pods_ended' });
    });

    it('an image that cannot be pulled is said, and the other pods are given back', async () => {
      await open({ image: missingImage });
      const { runId } = await bench.app.runs.start(bench.lab);
      await expect(bench.until(runId, 'finished')).rejects.toThrow('the run is failed');
      const { error } = await bench.app.runs.get(runId);
      expect(error).toMatchObject({ code: 'pod_unready', params: { image: missingImage } });
      expect(error?.params.reason).toContain('ImagePullBackOff');
    });

    it('stopped while its pods wait for room, it leaves none', async () => {
      await open({}, { cpus: 64 });
      const { runId } = await bench.app.runs.start(bench.lab);
      await expect.poll(raised.left, { timeout: 60_000 }).toHaveLength(4);
      await bench.app.runs.stop(runId);
      await bench.until(runId, 'stopped');
    });
  },
);
