/**
 * Full test: runs of the real trainer as jobs of Kubernetes' own control plane. Their pods run on stand-ins for its machines
 * (testing/nodes.ts); commands in them go through the API server and the kubelet's own code for streams.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../../shared/lab/lab.ts';
import {
  createRealBench,
  trainerBinary,
  trainerIsBuilt,
  type RealBench,
} from '../../testing/real-services.ts';
import { counting, linesOf, stepsOf } from '../../testing/stored-lines.ts';
import { noControlPlane, raiseControlPlane, type ControlPlane } from './testing/control-plane.ts';
import { missingImage, startNodes, type StandInNodes } from './testing/nodes.ts';

let plane: ControlPlane;
let nodes: StandInNodes;
let folder = '';
let bench: RealBench;

const Names = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });
const Pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }),
      status: z.object({ phase: z.string() }),
    }),
  ),
});

/** Three drawn nodes of this computer that train in the cluster. */
function clusterLab(change: Partial<KubernetesTarget> = {}, epochs = 2, cpus = 1): LabDocument {
  const lab = emptyLab('lab-kubernetes', 'In pods');
  lab.nodes = ['a', 'b', 'c'].map((id) => ({
    id,
    name: `Node ${id}`,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: { ...defaultPlacement('cpu'), cpus, memoryGb: 1 },
    access: { type: 'local' },
  }));
  lab.experiment = {
    ...lab.experiment,
    architecture: 'shufflenet_v2_x0_5',
    data: { type: 'shapes', train: 60, validation: 30, size: 16, seed: 1 },
    epochs,
    batchSize: 21,
    where: {
      type: 'kubernetes',
      kubeconfig: join(folder, 'kubeconfig'),
      image: 'registry.example/any:1',
      claim: 'shared',
      ...change,
    },
  };
  return lab;
}
const open = async (lab = clusterLab()): Promise<RealBench> => (bench = await createRealBench({ lab }));
/** Everything of ours that is in the cluster. */
const left = async (): Promise<string[]> => {
  const kinds = [
    '/api/v1/namespaces/default/pods',
    '/api/v1/namespaces/default/services',
    '/apis/batch/v1/namespaces/default/jobs',
  ];
  const found = await Promise.all(
    kinds.map(async (path) => {
      const { body } = await plane.request('GET', `${path}?labelSelector=app.kubernetes.io%2Fname%3Dringlab`);
      return Names.parse(body).items.map(({ metadata }) => `${path.split('/').at(-1)}/${metadata.name}`);
    }),
  );
  return found.flat().toSorted();
};
const podsOf = async (job: string) => {
  const selector = encodeURIComponent(`app.kubernetes.io/instance=${job}`);
  const { body } = await plane.request('GET', `/api/v1/namespaces/default/pods?labelSelector=${selector}`);
  return Pods.parse(body).items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
};

const why = noControlPlane ?? (trainerIsBuilt ? undefined : 'no trainer');
describe.skipIf(why !== undefined)(
  `a lab on a Kubernetes cluster${why === undefined ? '' : ` (skipped: ${why})`}`,
  () => {
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'ringlab-kube-'));
      await chmod(folder, 0o777);
      plane = await raiseControlPlane();
      await plane.kubeconfig(join(folder, 'kubeconfig'), 'admin');
      await plane.kubeconfig(join(folder, 'rival'), 'rival');
      const claim = await mkdtemp(join(tmpdir(), 'ringlab-claim-'));
      await chmod(claim, 0o777);
      nodes = await startNodes(plane, {
        names: ['machine-1', 'machine-2', 'machine-3'],
        offers: { cpu: '2', memory: '16Gi', pods: '110' },
        claim: { name: 'shared', folder: claim },
        path: [dirname(trainerBinary), '/usr/bin', '/bin'].join(delimiter),
      });
    }, 7_200_000);
    afterEach(async () => {
      await bench.close();
      // The access pod went with the app, the run's objects with the run.
      await expect.poll(left, { timeout: 150_000 }).toEqual([]);
    }, 200_000);
    afterAll(async () => {
      await nodes.close();
      await plane.close();
      await rm(folder, { recursive: true, force: true });
    });

    it(
      'runs to its end: every line is stored, the best model is brought home',
      { timeout: 400_000 },
      async () => {
        await open();
        const { runId } = await bench.app.runs.start(bench.lab);
        const run = await bench.until(runId, 'finished');
        expect(run).toMatchObject({ epochsCompleted: 2, step: 6, job: { waits: false } });
        expect(run.job?.nodes).toContain('machine-');
        expect(run.ranks.map(({ nodeId, state }) => [nodeId, state])).toEqual([
          ['a', 'done'],
          ['b', 'done'],
          ['c', 'done'],
        ]);
        for (const { rank } of run.ranks)
          expect(stepsOf(await linesOf(bench.app.store, runId, `rank-${rank}`))).toEqual(counting(6));
        for (const id of ['a', 'b', 'c'])
          expect(
            (await linesOf(bench.app.store, runId, `monitor-${id}`)).some(({ kind }) => kind === 'sample'),
          ).toBe(true);
        const best = await bench.app.runs.artifact(runId, 'model_best.pth.tar');
        expect(best.bytes).toBeGreaterThan(1_000_000);
        // Only the access pod is left while the app is open.
        await expect
          .poll(left, { timeout: 60_000 })
          .toEqual([expect.stringMatching(/^pods\/ringlab-access-/)]);
        expect(bench.app.problems).toEqual([]);
      },
    );

    it(
      'is stopped with a checkpoint and resumed, and the app restarts meanwhile: one curve',
      { timeout: 400_000 },
      async () => {
        await open(clusterLab({}, 4));
        const { runId } = await bench.app.runs.start(bench.lab);
        await bench.until(runId, (run) => run.step >= 2);
        await bench.app.runs.stop(runId);
        const stopped = await bench.until(runId, 'stopped');
        expect(stopped.ranks.map((rank) => rank.exit?.code)).toEqual([7, 7, 7]);
        await bench.app.runs.resume(runId);
        await bench.until(runId, (run) => run.step > stopped.step);
        await bench.restart();
        const run = await bench.until(runId, 'finished');
        expect(run).toMatchObject({ attempt: 2, epochsCompleted: 4, step: 12 });
        for (const { rank } of run.ranks) {
          const seqs = (await linesOf(bench.app.store, runId, `rank-${rank}`)).map(({ seq }) => seq);
          expect(seqs).toEqual(counting(seqs.length));
        }
      },
    );

    it(
      'waits with the scheduler’s reason, and leaves nothing when it is stopped',
      { timeout: 400_000 },
      async () => {
        await open(clusterLab({}, 2, 64));
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
      await open(clusterLab({ image: missingImage }));
      const { runId } = await bench.app.runs.start(bench.lab);
      await expect(bench.until(runId, 'finished')).rejects.toThrow('the run is failed');
      const { error } = await bench.app.runs.get(runId);
      expect(error).toMatchObject({ code: 'pod_unready', params: { image: missingImage } });
      expect(error?.params.reason).toContain('ImagePullBackOff');
    });

    it('says what the account may not do in the namespace', { timeout: 120_000 }, async () => {
      await open(clusterLab({ kubeconfig: join(folder, 'rival') }));
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
        await open(clusterLab({}, 30));
        const { runId } = await bench.app.runs.start(bench.lab);
        const running = await bench.until(runId, (run) => run.epochsCompleted >= 2);
        const job = running.job?.id ?? '';
        const [, second] = await podsOf(job);
        const eviction = {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: second?.metadata.name, namespace: 'default' },
        };
        const path = `/api/v1/namespaces/default/pods/${second?.metadata.name}/eviction`;
        expect(await plane.request('POST', path, eviction)).toMatchObject({ status: 201 });
        await bench.until(runId, ({ job: seen }) => seen?.waits === true);
        const run = await bench.until(runId, 'finished', 350);
        expect(run).toMatchObject({ attempt: 1, epochsCompleted: 30 });
      },
    );

    it(
      'goes on while its token is expired and the API is away: the curve has no hole',
      { timeout: 400_000 },
      async () => {
        await open(clusterLab({}, 40));
        const { runId } = await bench.app.runs.start(bench.lab);
        await bench.until(runId, (run) => run.step >= 2);
        await plane.kubeconfig(join(folder, 'kubeconfig'), 'nobody');
        await bench.restart();
        await bench.until(runId, (run) => Object.keys(run.unreachable).length > 0);
        expect((await bench.app.runs.get(runId)).state).toBe('waiting');
        await plane.kubeconfig(join(folder, 'kubeconfig'), 'admin');
        const back = await bench.until(runId, (run) => Object.keys(run.unreachable).length === 0, 120);
        await plane.cut();
        await bench.until(runId, (run) => Object.keys(run.unreachable).length > 0, 120);
        await plane.mend();
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
