/**
 * Full test: a lab's pods as containers: Kubernetes' own kubelet starts them with containerd and runc, with their cgroups. Each
 * pod has its own disk, since two processors have no room for the access pod of a claim beside two ranks.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../../testing/real-services.ts';
import { counting, linesOf, stepsOf } from '../../testing/stored-lines.ts';
import { clusterLab } from '../testing/cluster-lab.ts';
import { noControlPlane, raiseControlPlane, type ControlPlane } from './testing/control-plane.ts';
import { missingImage } from './testing/nodes.ts';
import { noRealNode, startRealNode, type RealNode } from './testing/real-node.ts';

const image = 'registry.example/any:1';
const why = noControlPlane ?? noRealNode ?? (trainerIsBuilt ? undefined : 'no trainer');

describe.skipIf(why !== undefined)(
  `a lab in containers of a real kubelet${why === undefined ? '' : ` (skipped: ${why})`}`,
  { timeout: 600_000 },
  () => {
    let plane: ControlPlane;
    let node: RealNode;
    let folder = '';
    let bench: RealBench | undefined;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'ringlab-kube-'));
      await chmod(folder, 0o755);
      plane = await raiseControlPlane();
      const kubeconfig = join(folder, 'kubeconfig');
      await plane.kubeconfig(kubeconfig, 'admin');
      node = await startRealNode(plane, { name: 'machine-1', images: [image], kubeconfig });
    }, 7_200_000);
    afterEach(async () => {
      // While the app is open: it deletes them when the run has ended.
      const left = async (): Promise<string[]> => (await podsNow()).map(({ metadata }) => metadata.name);
      try {
        await expect.poll(left, { timeout: 150_000 }).toEqual([]);
      } finally {
        await bench?.close();
        bench = undefined;
      }
    }, 200_000);
    afterAll(async () => {
      await node.close();
      await plane.close();
      await rm(folder, { recursive: true, force: true });
    }, 60_000);

    const Pods = z.object({
      items: z.array(
        z.object({
          metadata: z.object({ name: z.string() }),
          status: z.object({
            containerStatuses: z.array(z.object({ containerID: z.string().default('') })).default([]),
          }),
        }),
      ),
    });
    const podsNow = async () =>
      Pods.parse((await plane.request('GET', '/api/v1/namespaces/default/pods')).body).items;
    /** Two nodes. */
    const open = async (change: Partial<KubernetesTarget> = {}, epochs = 2): Promise<RealBench> => {
      const kubeconfig = join(folder, 'kubeconfig');
      const lab: LabDocument = clusterLab({ type: 'kubernetes', kubeconfig, image, ...change }, { epochs });
      return (bench = await createRealBench({ lab: { ...lab, nodes: lab.nodes.slice(0, 2) } }));
    };

    it('trains to its end in containers of containerd, which then are gone', async () => {
      const { app, lab, until } = await open();
      const { runId } = await app.runs.start(lab);
      await until(runId, (run) => run.step >= 1);
      const ids = (await podsNow()).flatMap(({ status }) =>
        status.containerStatuses.map(({ containerID }) => containerID),
      );
      expect(ids).toEqual([
        expect.stringMatching(/^containerd:\/\/[0-9a-f]{64}$/),
        expect.stringMatching(/^containerd:/),
      ]);
      const run = await until(runId, 'finished');
      expect(run).toMatchObject({ epochsCompleted: 2 });
      for (const { rank } of run.ranks)
        expect(stepsOf(await linesOf(app.store, runId, `rank-${rank}`))).toEqual(counting(run.step));
      const best = await app.runs.artifact(runId, 'model_best.pth.tar');
      expect(best.bytes).toBeGreaterThan(1_000_000);
    });

    it('is stopped with a checkpoint, and continued by new containers', async () => {
      const { app, lab, until } = await open({}, 4);
      const { runId } = await app.runs.start(lab);
      await until(runId, (run) => run.step >= 2);
      await app.runs.stop(runId);
      const stopped = await until(runId, 'stopped');
      expect(stopped.ranks.map((rank) => rank.exit?.code)).toEqual([7, 7]);
      await app.runs.resume(runId);
      expect(await until(runId, 'finished')).toMatchObject({ attempt: 2, epochsCompleted: 4 });
    });

    it('says the kubelet’s own word for an image that no registry has', async () => {
      const { app, lab, until } = await open({ image: missingImage });
      const { runId } = await app.runs.start(lab);
      await expect(until(runId, 'finished')).rejects.toThrow('the run is failed');
      const { error } = await app.runs.get(runId);
      expect(error).toMatchObject({ code: 'pod_unready', params: { image: missingImage } });
      expect(error?.params.reason).toMatch(/ErrImagePull|ImagePullBackOff/);
    });
  },
);
