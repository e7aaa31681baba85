/**
 * Full test: runs of the real trainer as jobs of Kubernetes' own control plane. Their pods run on stand-ins for its machines
 * (testing/nodes.ts); commands in them go through the API server and the kubelet's own code for streams.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../../testing/real-services.ts';
import { counting, linesOf, stepsOf } from '../../testing/stored-lines.ts';
import { clusterLab, runsToItsEnd, stopsAndResumes } from '../testing/cluster-lab.ts';
import { noControlPlane } from './testing/control-plane.ts';
import { missingImage } from './testing/nodes.ts';
import { raiseKubernetes, type RaisedKubernetes } from './testing/raised.ts';

let raised: RaisedKubernetes;
let bench: RealBench;

const open = async (
  change: Partial<KubernetesTarget> = {},
  size: { epochs?: number; cpus?: number } = {},
): Promise<RealBench> => (bench = await createRealBench({ lab: clusterLab(raised.target(change), size) }));

const why = noControlPlane ?? (trainerIsBuilt ? undefined : 'no trainer');
describe.skipIf(why !== undefined)(
  `a lab on a Kubernetes cluster${why === undefined ? '' : ` (skipped: ${why})`}`,
  () => {
    beforeAll(async () => {
      raised = await raiseKubernetes();
    }, 7_200_000);
    afterEach(async () => {
      await bench.close();
      // The access pod went with the app, the run's objects with the run.
      await expect.poll(raised.left, { timeout: 150_000 }).toEqual([]);
    }, 200_000);
    afterAll(async () => await raised.close());

    it(
      'runs to its end: every line is stored, the best model is brought home',
      { timeout: 400_000 },
      async () => {
        await open();
        const runId = await runsToItsEnd(bench);
        const { job } = await bench.app.runs.get(runId);
        expect(job).toMatchObject({ waits: false });
        expect(job?.nodes).toContain('machine-');
        const best = await bench.app.runs.artifact(runId, 'model_best.pth.tar');
        expect(best.bytes).toBeGreaterThan(1_000_000);
        // Only the access pod is left while the app is open.
        await expect
          .poll(raised.left, { timeout: 60_000 })
          .toEqual([expect.stringMatching(/^pods\/ringlab-access-/)]);
        expect(bench.app.problems).toEqual([]);
      },
    );

    it(
      'is stopped with a checkpoint and resumed, and the app restarts meanwhile: one curve',
      { timeout: 400_000 },
      async () => {
        await open({}, { epochs: 4 });
        await stopsAndResumes(bench);
      },
    );

    it(
      'waits with the scheduler’s reason, and leaves nothing when it is stopped',
      { timeout: 400_000 },
      async () => {
        await open({}, { cpus: 64 });
        const { runId } = await bench.app.runs.start(bench.lab);
        const waiting = await bench.until(
          runId,
          ({ job }) => job?.reason?.startsWith('Unschedulable') === true,
        );
        expect(waiting).toMatchObject({ state: 'starting', job: { waits: true } });
        expect(waiting.job?.reason).toContain('0/3 nodes are available: 3 Insufficient cpu');
        await bench.app.runs.stop(runId);
        await bench.until(runId, 'stopped');
      },
    );

    it('says which image cannot be pulled before anything is installed', { timeout: 120_000 }, async () => {
      await open({ image: missingImage });
      const { runId } = await bench.app.runs.start(bench.lab);
      await expect(bench.until(runId, 'finished')).rejects.toThrow('the run is failed');
      const { error } = await bench.app.runs.get(runId);
      expect(error).toMatchObject({ code: 'pod_unready', params: { image: missingImage } });
      expect(error?.params.reason).toContain('ImagePullBackOff');
    });

    it('says what the account may not do in the namespace', { timeout: 120_000 }, async () => {
      await open({ kubeconfig: raised.rival });
      const { runId } = await bench.app.runs.start(bench.lab);
      await expect(bench.until(runId, 'finished')).rejects.toThrow('the run is failed');
      const { error } = await bench.app.runs.get(runId);
      expect(error).toMatchObject({ code: 'cluster_forbidden', params: { namespace: 'default' } });
      expect(error?.params.reason).toMatch(/cannot (get|create) resource "pods"/);
    });

    it(
      'an evicted pod starts again, and all continue from the checkpoint',
      { timeout: 400_000 },
      async () => {
        // Its lines come seconds after its steps: it must not have ended by then.
        await open({}, { epochs: 100 });
        const { runId } = await bench.app.runs.start(bench.lab);
        const running = await bench.until(runId, (run) => run.epochsCompleted >= 2);
        const job = running.job?.id ?? '';
        const [, second = ''] = await raised.podsOf(job);
        const eviction = {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: second, namespace: 'default' },
        };
        const path = `/api/v1/namespaces/default/pods/${second}/eviction`;
        expect(await raised.plane.request('POST', path, eviction)).toMatchObject({ status: 201 });
        const run = await bench.until(runId, 'finished', 350);
        expect(run).toMatchObject({ attempt: 1, epochsCompleted: 100 });
        const lines = await linesOf(bench.app.store, runId, 'rank-0');
        const starts = lines.filter(({ kind }) => kind === 'start');
        expect(starts.length).toBeGreaterThan(1);
        expect(starts.at(-1)?.start_step).toBeGreaterThan(0);
      },
    );

    it(
      'goes on while its token is expired and the API is away: the curve has no hole',
      { timeout: 400_000 },
      async () => {
        await open({}, { epochs: 40 });
        const { runId } = await bench.app.runs.start(bench.lab);
        await bench.until(runId, (run) => run.state === 'running' && run.step >= 2);
        await raised.plane.kubeconfig(raised.kubeconfig, 'nobody');
        await bench.restart();
        await bench.until(runId, (run) => Object.keys(run.unreachable).length > 0);
        expect((await bench.app.runs.get(runId)).state).toBe('waiting');
        await raised.plane.kubeconfig(raised.kubeconfig, 'admin');
        const back = await bench.until(runId, (run) => Object.keys(run.unreachable).length === 0, 120);
        await raised.plane.cut();
        await bench.until(runId, (run) => Object.keys(run.unreachable).length > 0, 120);
        await raised.plane.mend();
        await bench.until(
          runId,
          (run) => run.step > back.step && Object.keys(run.unreachable).length === 0,
          200,
        );
        const run = await bench.until(runId, 'finished');
        expect(stepsOf(await linesOf(bench.app.store, runId, 'rank-0'))).toEqual(counting(run.step));
      },
    );
  },
);
