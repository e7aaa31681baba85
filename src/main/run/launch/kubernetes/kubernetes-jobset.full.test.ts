/**
 * Full test: labs whose nodes differ, on a Kubernetes cluster that has JobSet: its own controller and webhooks, built from its
 * module. The cluster is that of kubernetes-runs.full. In Kueue's place the test lets a JobSet start.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { jobSetVersion } from '../../../../shared/lab/job-set.ts';
import type { KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../../testing/real-services.ts';
import { clusterLab, runsToItsEnd, stopsAndResumes } from '../testing/cluster-lab.ts';
import { kubernetesManifest } from './manifest.ts';
import { noControlPlane } from './testing/control-plane.ts';
import { raiseKubernetes, type RaisedKubernetes } from './testing/raised.ts';

let raised: RaisedKubernetes;
let bench: RealBench | undefined;

/** The last of its three nodes asks for more memory. */
function unequal(where: KubernetesTarget, epochs?: number): LabDocument {
  const lab = clusterLab(where, epochs === undefined ? {} : { epochs });
  const nodes = lab.nodes.map((node) =>
    node.id === 'c' ? { ...node, placement: { ...node.placement, memoryGb: 2 } } : node,
  );
  return { ...lab, nodes };
}
const open = async (where: KubernetesTarget, epochs?: number): Promise<RealBench> =>
  (bench = await createRealBench({ lab: unequal(where, epochs) }));

const sets = `/apis/${jobSetVersion}/namespaces/default/jobsets`;
const Sets = z.object({
  items: z.array(
    z.object({ metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }) }),
  ),
});
const setsNow = async () => Sets.parse((await raised.plane.request('GET', sets)).body).items;
/** As a queue does where there is room for all its pods. */
async function admit(set: string): Promise<void> {
  const admitted = { spec: { suspend: false } };
  const merge = 'application/merge-patch+json';
  expect(await raised.plane.request('PATCH', `${sets}/${set}`, admitted, merge)).toMatchObject({
    status: 200,
  });
}
const jobsOf = (left: readonly string[]): string[] =>
  left.flatMap((one) => /^jobs\/ringlab-.*(-\d-\d)$/.exec(one)?.[1] ?? []);

const why = noControlPlane ?? (trainerIsBuilt ? undefined : 'no trainer');
describe.skipIf(why !== undefined)(
  `a lab of different nodes on a cluster with JobSet${why === undefined ? '' : ` (skipped: ${why})`}`,
  { timeout: 600_000 },
  () => {
    beforeAll(async () => {
      raised = await raiseKubernetes({ jobSets: true });
    }, 7_200_000);
    afterEach(async () => {
      await bench?.close();
      bench = undefined;
      await expect.poll(raised.left, { timeout: 150_000 }).toEqual([]);
    }, 200_000);
    afterAll(async () => await raised.close());

    it('is one JobSet, runs to its end, and leaves nothing', async () => {
      const { app } = await open(raised.target());
      const seen = new Set<string>();
      const looks = setInterval(() => {
        void raised.left().then((left) => jobsOf(left).forEach((one) => seen.add(one)));
      }, 300);
      const runId = await runsToItsEnd(bench ?? expect.fail()).finally(() => clearInterval(looks));
      expect([...seen].toSorted()).toEqual(['-0-0', '-1-0']);
      const best = await app.runs.artifact(runId, 'model_best.pth.tar');
      expect(best.bytes).toBeGreaterThan(1_000_000);
      await expect
        .poll(raised.left, { timeout: 60_000 })
        .toEqual([expect.stringMatching(/^pods\/ringlab-access-/)]);
      expect(app.problems).toEqual([]);
    });

    it('is stopped with a checkpoint and resumed, and the app restarts meanwhile: one curve', async () => {
      await stopsAndResumes(await open(raised.target(), 4));
    });

    it('waits with its whole JobSet until a queue admits it', async () => {
      const { app, lab, until } = await open(raised.target({ queue: 'gpus' }));
      const { runId } = await app.runs.start(lab);
      const waiting = await until(runId, ({ job }) => job?.reason === 'Suspended');
      expect(waiting).toMatchObject({ state: 'starting', job: { waits: true } });
      const [set, ...more] = await setsNow();
      expect(more).toEqual([]);
      expect(set?.metadata.labels['kueue.x-k8s.io/queue-name']).toBe('gpus');
      expect((await raised.podsOf(set?.metadata.name ?? '')).length).toBe(0);
      await admit(set?.metadata.name ?? '');
      expect(await until(runId, 'finished')).toMatchObject({ epochsCompleted: 2 });
    });

    it('is interrupted where somebody else deletes its JobSet', async () => {
      const { app, lab, until } = await open(raised.target(), 2000);
      const { runId } = await app.runs.start(lab);
      await until(runId, (run) => run.epochsCompleted >= 1);
      const [set] = await setsNow();
      const path = `${sets}/${set?.metadata.name ?? ''}`;
      const background = { propagationPolicy: 'Background' };
      expect(await raised.plane.request('DELETE', path, background)).toMatchObject({ status: 200 });
      await expect(until(runId, 'finished')).rejects.toThrow('the run is interrupted');
      expect((await app.runs.get(runId)).error).toMatchObject({ code: 'pods_ended' });
    });

    it('without a claim it is one JobSet for a queue, of pods that are prepared, and runs to its end', async () => {
      const opened = await open(raised.withoutClaim({ queue: 'gpus' }));
      const runs = runsToItsEnd(opened);
      await expect.poll(setsNow, { timeout: 60_000 }).toHaveLength(1);
      const [set] = await setsNow();
      await admit(set?.metadata.name ?? '');
      await runs;
      await expect.poll(raised.left, { timeout: 150_000 }).toEqual([]);
    });

    it('without a claim and a queue a pod that is evicted leaves the others: the checkpoint is home before they end', async () => {
      const { app, lab, until } = await open(raised.withoutClaim(), 2000);
      const { runId } = await app.runs.start(lab);
      await until(runId, (run) => run.epochsCompleted >= 1);
      expect(await setsNow()).toEqual([]);
      const [job = ''] = (await raised.left()).flatMap((one) => one.match(/^jobs\/(.+)$/)?.[1] ?? []);
      // The first of the second job: of the node that is drawn differently.
      const evicted = (await raised.podsOf(job)).find((name) => name.startsWith(`${job}-1-0-`)) ?? '';
      const eviction = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: evicted, namespace: 'default' },
      };
      const path = `/api/v1/namespaces/default/pods/${evicted}/eviction`;
      expect(await raised.plane.request('POST', path, eviction)).toMatchObject({ status: 201 });
      await expect(until(runId, 'finished')).rejects.toThrow('the run is interrupted');
      expect((await app.runs.get(runId)).error).toMatchObject({ code: 'pods_ended' });
      await expect.poll(raised.left, { timeout: 150_000 }).toEqual([]);
      const best = await app.runs.artifact(runId, 'model_best.pth.tar');
      expect(best.bytes).toBeGreaterThan(1_000_000);
    });

    it('a manifest’s JobSet is accepted, and its Jobs have the names that the commands use', async () => {
      // Suspended: its volumes are not there, so its pods would wait for ever.
      const target = raised.target({ queue: 'gpus' });
      const { objects } = kubernetesManifest({
        ...{ lab: unequal(target), nodeOrder: undefined, target },
        ...{ name: 'ringlab-manifest-1', secret: 'a'.repeat(64), isSet: true },
      });
      const set = objects.find(({ kind }) => kind === 'JobSet');
      const path = `${sets}?fieldValidation=Strict`;
      expect(await raised.plane.request('POST', path, set)).toMatchObject({ status: 201 });
      const selector = encodeURIComponent('app.kubernetes.io/instance=ringlab-manifest-1');
      const jobs = `/apis/batch/v1/namespaces/default/jobs?labelSelector=${selector}`;
      const Template = z.object({ spec: z.object({ subdomain: z.string() }) });
      const Jobs = z.object({
        items: z.array(
          z.object({
            metadata: z.object({ name: z.string() }),
            spec: z.object({ completions: z.number(), template: Template }),
          }),
        ),
      });
      const names = async (): Promise<string[]> =>
        Jobs.parse((await raised.plane.request('GET', jobs)).body)
          .items.flatMap(({ metadata: { name }, spec: { completions, template } }) =>
            Array.from({ length: completions }, (_, index) => `${name}-${index}.${template.spec.subdomain}`),
          )
          .toSorted();
      const expected = ['0-0-0', '0-0-1', '1-0-0'].map(
        (end) => `ringlab-manifest-1-${end}.ringlab-manifest-1`,
      );
      await expect.poll(names, { timeout: 60_000 }).toEqual(expected);
      const commands = JSON.stringify(objects.find(({ kind }) => kind === 'ConfigMap'));
      expect(commands).toContain(expected[0]);
      const background = { propagationPolicy: 'Background' };
      await raised.plane.request('DELETE', `${sets}/ringlab-manifest-1`, background);
    });
  },
);
