import { describe, expect, it } from 'vitest';
import type { KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import { createSkippingClock } from '../../../base/testing/skipping-clock.ts';
import type { ApiRequest, KubernetesCluster, SeenPod } from '../../../kubernetes/index.ts';
import type { ExecResult, SshSession } from '../../../ssh/index.ts';
import type { LaunchOrder } from '../../record/launcher.ts';
import { clusterLab } from '../testing/cluster-lab.ts';
import { createKubernetesLauncher } from './kubernetes-launcher.ts';

const name = 'ringlab-run-1';

/** A run of two nodes in a namespace that may put a container of its own beside their ranks. */
function bench() {
  const target: KubernetesTarget = { type: 'kubernetes', image: 'registry.example/any:1', claim: 'shared' };
  const deleted: ApiRequest[] = [];
  let exits: readonly (number | undefined)[] = [];
  let change: Partial<SeenPod> = {};
  const lab = { ...clusterLab(target) };
  lab.nodes = lab.nodes.slice(0, 2);
  const nodes = lab.nodes.map(({ id }) => id);
  const orders = nodes.map((nodeId, index): LaunchOrder => {
    const label = `rank-${index}`;
    return { nodeId, label, directory: `/mnt/runs/run/${label}`, argv: [], env: {}, attempt: 1 };
  });
  const pod = (index: number): SeenPod => {
    const code = exits[index];
    return {
      ...{ name: `${name}-${index}-x`, uid: `u${index}`, job: name, index, created: '', phase: 'Running' },
      ...{ node: 'machine', isDeleting: false, graceSeconds: 0, runs: code === undefined, waits: undefined },
      ...{ exit: code === undefined ? undefined : { code, reason: 'Error' }, disrupted: undefined },
      ...change,
    };
  };
  const cluster = {
    api: {
      name: () => Promise.resolve('test'),
      namespace: () => Promise.resolve('team'),
      request(what: ApiRequest) {
        deleted.push(what);
        return Promise.resolve({ status: 200, body: {} });
      },
    },
    watch: () => ({
      seen: () =>
        Promise.resolve({
          pods: nodes.map((_, index) => pod(index)),
          jobs: [{ name, uid: 'j', isSuspended: false, state: 'active', why: undefined }],
          events: [],
        }),
      stop: () => undefined,
    }),
    // Of a cluster a look uses these alone.
  } as unknown as KubernetesCluster;
  // Of a session the launcher executes commands alone.
  const session = {
    exec(): Promise<ExecResult> {
      const folders = nodes.map((_, index) => {
        const code = exits[index];
        return code === undefined
          ? 'folder'
          : `folder\nexit {"code":${code},"signal":null,"t":1,"attempt":1}`;
      });
      const stdout = `job ${JSON.stringify({ name, nodes })}\n${folders.join('\n')}\n`;
      return Promise.resolve({ code: 0, signal: null, stdout, stderr: '' });
    },
  } as unknown as SshSession;
  const clock = createSkippingClock();
  const launcher = createKubernetesLauncher({
    ...{ lab, target, cluster, clock, session: () => Promise.resolve(session) },
    ...{ bootIdFile: '/proc/boot', timeout: 1000 },
  });
  return {
    deleted,
    after: clock.skip,
    look: async (codes: readonly (number | undefined)[], more: Partial<SeenPod> = {}) => {
      exits = codes;
      change = more;
      return (await launcher.look(orders)).map(({ state }) => state);
    },
  };
}

describe('a pod whose ranks have failed, but that another container keeps', () => {
  it('is deleted, so that the job starts it again or fails', async () => {
    for (const code of [1, 4]) {
      const { look, deleted } = bench();
      expect(await look([undefined, undefined])).toEqual(['alive', 'alive']);
      expect(deleted).toEqual([]);
      expect(await look([undefined, code])).toEqual(['alive', 'alive']);
      expect(deleted).toMatchObject([
        {
          method: 'DELETE',
          path: `/api/v1/namespaces/team/pods/${name}-1-x`,
          body: { preconditions: { uid: 'u1' } },
        },
      ]);
      await look([undefined, code], { isDeleting: true });
      await look([undefined, code], { phase: 'Failed' });
      expect(deleted).toHaveLength(1);
    }
  });
  it('stays where they ended well: it would be started again', async () => {
    const { look, deleted } = bench();
    expect(await look([0, undefined])).toEqual(['exited', 'alive']);
    expect(deleted).toEqual([]);
  });
});

describe('a pod that nothing ends, since its machine is lost', () => {
  it('is deleted by force once its time to end is over, and kept by no finalizer of its job', async () => {
    const { look, deleted, after } = bench();
    const lost = { isDeleting: true, graceSeconds: 120 };
    await look([undefined, undefined], lost);
    after(140_000);
    await look([undefined, undefined], lost);
    expect(deleted).toEqual([]);
    after(20_000);
    expect(await look([undefined, undefined], lost)).toEqual(['alive', 'alive']);
    const path = `/api/v1/namespaces/team/pods/${name}-1-x`;
    expect(deleted.filter((one) => one.path === path)).toMatchObject([
      { method: 'DELETE', body: { gracePeriodSeconds: 0, preconditions: { uid: 'u1' } } },
      { method: 'PATCH', body: { metadata: { uid: 'u1', finalizers: null } }, expects: [403, 404, 409, 422] },
    ]);
    after(20_000);
    await look([undefined, undefined], lost);
    expect(deleted).toHaveLength(4);
  });
});
