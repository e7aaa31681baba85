/**
 * A manifest on Kubernetes' own API server, job controller and scheduler. There is no kubelet: the test writes what one would
 * report of a node and of pods. Needs root, Go and etcd; the first build takes half an hour on two cores.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defaultPlacement, emptyLab, type LabNode } from '../../../../shared/lab/lab.ts';
import { kubernetesManifest } from './manifest.ts';
import { noControlPlane, raiseControlPlane, type ControlPlane } from './testing/control-plane.ts';

const Pod = z.object({
  metadata: z.object({
    name: z.string(),
    annotations: z.record(z.string(), z.string()).optional(),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.object({ hostname: z.string(), subdomain: z.string(), nodeName: z.string().optional() }),
  status: z.object({
    phase: z.string(),
    conditions: z
      .array(z.object({ type: z.string(), status: z.string(), message: z.string().optional() }))
      .optional(),
  }),
});
type Pod = z.infer<typeof Pod>;
const Job = z.object({
  status: z.object({
    conditions: z
      .array(z.object({ type: z.string(), status: z.string(), reason: z.string().optional() }))
      .optional(),
  }),
});

const gpuNode = (id: string): LabNode => ({
  id,
  name: id,
  kind: 'gpu',
  position: { x: 0, y: 0 },
  placement: defaultPlacement('gpu'),
  access: { type: 'local' },
});
const lab = { ...emptyLab('lab', 'Pods'), nodes: [gpuNode('a'), gpuNode('b')] };
const target = { type: 'kubernetes', image: 'registry.example/ringlab:1' } as const;
const base = '/api/v1/namespaces/default';
const jobs = '/apis/batch/v1/namespaces/default/jobs';
const folderOf: Readonly<Record<string, string>> = {
  Service: `${base}/services`,
  Secret: `${base}/secrets`,
  ConfigMap: `${base}/configmaps`,
  Job: jobs,
};

describe.skipIf(noControlPlane !== undefined)(
  `a manifest on Kubernetes' control plane${noControlPlane === undefined ? '' : ` (skipped: ${noControlPlane})`}`,
  () => {
    let plane: ControlPlane;
    beforeAll(async () => {
      plane = await raiseControlPlane();
    }, 7_200_000);
    afterAll(async () => await plane.close());

    const create = async (name: string): Promise<number[]> => {
      const { objects } = kubernetesManifest({
        lab,
        nodeOrder: undefined,
        target,
        name,
        secret: 'a'.repeat(64),
        isSet: false,
      });
      const answers = [];
      for (const one of objects)
        answers.push(await plane.request('POST', `${folderOf[one.kind ?? '']}?fieldValidation=Strict`, one));
      expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
      return answers.map(({ status }) => status);
    };
    const podsOf = async (name: string): Promise<Pod[]> => {
      const selector = encodeURIComponent(`app.kubernetes.io/instance=${name}`);
      const { body } = await plane.request('GET', `${base}/pods?labelSelector=${selector}`);
      return z
        .object({ items: z.array(Pod) })
        .parse(body)
        .items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .toSorted((a, b) => a.spec.hostname.localeCompare(b.spec.hostname));
    };
    const merge = 'application/merge-patch+json';
    const jobConditions = async (name: string): Promise<string[]> =>
      (Job.parse((await plane.request('GET', `${jobs}/${name}`)).body).status.conditions ?? []).map(
        ({ type, reason }) => `${type} ${reason}`,
      );
    /** As a kubelet reports it. */
    const end = async (pod: Pod | undefined, exitCode: number, conditions: object[] = []): Promise<void> => {
      const state = { terminated: { exitCode, reason: 'Error' } };
      const status = {
        phase: exitCode === 0 ? 'Succeeded' : 'Failed',
        conditions,
        containerStatuses: [
          { name: 'ranks', image: target.image, imageID: '', ready: false, restartCount: 0, state },
        ],
      };
      const path = `${base}/pods/${pod?.metadata.name}/status`;
      expect(await plane.request('PATCH', path, { status }, merge)).toMatchObject({ status: 200 });
    };
    const remove = async (name: string): Promise<void> => {
      for (const [kind, path] of Object.entries(folderOf))
        await plane.request(
          'DELETE',
          `${path}/${name}`,
          kind === 'Job' ? { propagationPolicy: 'Background' } : undefined,
        );
    };

    it('has a numbered pod for each drawn node, of which the scheduler says what it lacks until it has it', async () => {
      await create('ringlab-run-1');
      await expect
        .poll(async () =>
          (await podsOf('ringlab-run-1')).map(({ spec }) => `${spec.hostname}.${spec.subdomain}`),
        )
        .toEqual(['ringlab-run-1-0.ringlab-run-1', 'ringlab-run-1-1.ringlab-run-1']);
      const messages = async (): Promise<string> =>
        (await podsOf('ringlab-run-1'))
          .flatMap(({ status }) => status.conditions?.map(({ message }) => message))
          .join('\n');
      await expect.poll(messages).toContain('no nodes available to schedule pods');

      const node = {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'gpu-1', labels: { 'kubernetes.io/hostname': 'gpu-1' } },
      };
      expect((await plane.request('POST', '/api/v1/nodes', node)).status).toBe(201);
      const report = async (more: object): Promise<unknown> => {
        const has = { cpu: '64', memory: '256Gi', pods: '110', ...more };
        const status = {
          capacity: has,
          allocatable: has,
          conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }],
        };
        return await plane.request('PATCH', '/api/v1/nodes/gpu-1/status', { status }, merge);
      };
      await report({});
      await plane.request('PATCH', '/api/v1/nodes/gpu-1', { spec: { taints: null } }, merge);
      await expect.poll(messages).toContain('Insufficient nvidia.com/gpu');
      await report({ 'nvidia.com/gpu': '8' });
      await expect
        .poll(async () => (await podsOf('ringlab-run-1')).map(({ spec }) => spec.nodeName))
        .toEqual(['gpu-1', 'gpu-1']);
    });

    it('starts a failed and an evicted pod again, and is complete when each number has succeeded', async () => {
      const [first, second] = await podsOf('ringlab-run-1');
      await end(first, 4);
      await end(second, 7, [
        { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: '' },
      ]);
      const running = async (): Promise<Pod[]> =>
        (await podsOf('ringlab-run-1')).filter(({ status }) => status.phase === 'Pending');
      await expect
        .poll(async () => (await running()).map(({ spec }) => spec.hostname), { timeout: 60_000 })
        .toEqual(['ringlab-run-1-0', 'ringlab-run-1-1']);
      for (const pod of await running()) await end(pod, 0);
      await expect
        .poll(() => jobConditions('ringlab-run-1'), { timeout: 60_000 })
        .toContain('Complete CompletionsReached');
    });

    it('fails at once where the trainer says that its data are bad', async () => {
      await create('ringlab-run-2');
      await expect.poll(async () => (await podsOf('ringlab-run-2')).length).toBe(2);
      const [first, second] = await podsOf('ringlab-run-2');
      await end(first, 3);
      const conditions = (): Promise<string[]> => jobConditions('ringlab-run-2');
      await expect.poll(conditions, { timeout: 60_000 }).toContain('FailureTarget PodFailurePolicy');
      // The other pod gets a deletion time, which a kubelet would confirm.
      await expect.poll(async () => (await podsOf('ringlab-run-2')).length).toBe(1);
      await plane.request('DELETE', `${base}/pods/${second?.metadata.name}`, { gracePeriodSeconds: 0 });
      await expect.poll(conditions, { timeout: 60_000 }).toContain('Failed PodFailurePolicy');
    });

    it('leaves nothing behind when it is deleted', async () => {
      for (const name of ['ringlab-run-1', 'ringlab-run-2']) await remove(name);
      const left = async (): Promise<string[]> => {
        const found: string[] = [];
        for (const path of [...Object.values(folderOf), `${base}/pods`]) {
          const { body } = await plane.request(
            'GET',
            `${path}?labelSelector=app.kubernetes.io%2Fname%3Dringlab`,
          );
          const { items } = z
            .object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) })
            .parse(body);
          // No kubelet confirms that a pod has ended.
          if (path.endsWith('/pods'))
            for (const { metadata } of items)
              await plane.request('DELETE', `${path}/${metadata.name}`, { gracePeriodSeconds: 0 });
          found.push(...items.map(({ metadata }) => `${path}/${metadata.name}`));
        }
        return found;
      };
      await expect.poll(left, { timeout: 60_000 }).toEqual([]);
    });
  },
);
