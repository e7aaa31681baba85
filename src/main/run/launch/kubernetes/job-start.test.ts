import type { Container } from 'kubernetes-types/core/v1';
import { describe, expect, it } from 'vitest';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import { createSkippingClock } from '../../../base/testing/skipping-clock.ts';
import type { ApiRequest, KubernetesCluster } from '../../../kubernetes/index.ts';
import type { SshSession } from '../../../ssh/index.ts';
import { clusterLab } from '../testing/cluster-lab.ts';
import { createKubernetesLauncher } from './kubernetes-launcher.ts';

const away = new RinglabError('cluster_unreachable', { cluster: 'test', reason: 'HTTP 504' });
const refused = new RinglabError('pods_refused', { cluster: 'test', namespace: 'team', reason: 'invalid' });
const unlimited = new RinglabError('pods_refused', {
  ...{ cluster: 'test', namespace: 'team' },
  reason:
    'spec.containers[0].resources.requests: Invalid value: "4": must be less than or equal to cpu limit of 2',
});
const conflict = {
  ...{ kind: 'Status', status: 'Failure', reason: 'Conflict', code: 409 },
  message: 'Operation cannot be fulfilled on resourcequotas "team": the object has been modified',
};
const contended = new RinglabError('pods_refused', {
  ...{ cluster: 'test', namespace: 'team', reason: conflict.message },
});

/**
 * A namespace that does what it is asked, where the test does not say otherwise.
 * @param fails called after each request was carried out: the error in place of its answer
 * @param conflicts whether a quota that is being counted keeps it from being carried out
 */
function bench(
  fails: (what: string, times: number) => RinglabError | undefined,
  conflicts: (what: string, times: number) => boolean = () => false,
) {
  const there = new Set<string>();
  const killed: string[] = [];
  const asked = new Map<string, number>();
  const clock = createSkippingClock();
  const limits: unknown[] = [];
  let wantsLimits = false;
  const dryRun = (body: unknown) => {
    // A pod as the launcher makes it.
    const { spec } = body as { spec: { containers: Container[] } };
    const isRefused = wantsLimits && spec.containers[0]?.resources?.limits?.cpu === undefined;
    return isRefused ? Promise.reject(unlimited) : Promise.resolve({ status: 201, body: {} });
  };
  const request = ({ method, path, query, body, expects = [] }: ApiRequest) => {
    if (query?.dryRun !== undefined) return dryRun(body);
    const [kind = '', name = ''] = path.replace(/^.*\/namespaces\/team\//, '').split('/');
    // What the launcher creates.
    const { metadata } = (body ?? { metadata: { name } }) as { metadata: { name: string } };
    const key = `${kind}/${metadata.name}`;
    const had = there.has(key);
    const times = (asked.get(`${method} ${kind}`) ?? 0) + 1;
    asked.set(`${method} ${kind}`, times);
    if (conflicts(`${method} ${kind}`, times))
      return expects.includes(409)
        ? Promise.resolve({ status: 409, body: conflict })
        : Promise.reject(contended);
    const error = fails(`${method} ${kind}`, times);
    if (method === 'POST' && error !== refused) there.add(key);
    if (method === 'POST' && kind === 'jobs') {
      const { spec } = body as { spec: { template: { spec: { containers: Container[] } } } };
      limits.push(spec.template.spec.containers[0]?.resources?.limits?.cpu);
    }
    if (method === 'DELETE' && error === undefined) {
      if (kind === 'pods') killed.push(metadata.name);
      there.delete(key);
    }
    if (error !== undefined) return Promise.reject(error);
    const status = method === 'POST' ? (had ? 409 : 201) : had ? 200 : 404;
    if (status === 409) return Promise.resolve({ status, body: { reason: 'AlreadyExists' } });
    return Promise.resolve({ status, body: { metadata: { ...metadata, uid: 'u' }, spec: {}, status: {} } });
  };
  const cluster = {
    api: { name: () => Promise.resolve('test'), namespace: () => Promise.resolve('team'), request },
    watch: (name: string) => ({
      seen: () => Promise.resolve({ pods: [{ name: `${name}-0-x` }], jobs: [], events: [] }),
      stop: () => undefined,
    }),
    // What a start uses of a cluster.
  } as unknown as KubernetesCluster;
  // Of a session the launcher executes commands alone.
  const session = {
    exec: () => Promise.resolve({ code: 0, signal: null, stdout: '', stderr: '' }),
  } as unknown as SshSession;
  const target: KubernetesTarget = { type: 'kubernetes', image: 'registry.example/any:1', claim: 'shared' };
  const lab = clusterLab(target);
  const launcher = createKubernetesLauncher({
    ...{ lab, target, cluster, clock, session: () => Promise.resolve(session) },
    ...{ bootIdFile: '/proc/boot', timeout: 1000 },
  });
  return {
    /** Of the jobs' containers, when they were created. */
    limits,
    wantsLimits: () => (wantsLimits = true),
    there,
    killed,
    clock,
    async start(attempt = 1) {
      const started: string[] = [];
      const orders = lab.nodes.map(({ id: nodeId }, index) => {
        const label = `rank-${index}`;
        const order = { nodeId, label, directory: `/mnt/runs/run/${label}`, argv: ['x'], env: {}, attempt };
        return { ranks: [order], beside: [] };
      });
      await launcher.startAll(orders, {
        started: ({ label }) => Promise.resolve(void started.push(label)),
        without: () => undefined,
      });
      return started;
    },
  };
}
const ranks = ['rank-0', 'rank-1', 'rank-2'];
const all = ['jobs/ringlab-run-1', 'services/ringlab-run-1'];

describe('the start of a run’s job', () => {
  it('finds again what was created where the answer was lost', async () => {
    for (const lost of ['POST jobs', 'POST services']) {
      const { start, there } = bench((what, times) => (what === lost && times <= 3 ? away : undefined));
      expect(await start()).toEqual(ranks);
      expect([...there]).toEqual(all);
    }
  });
  it('leaves no job where it fails: its pods would train, and nobody would follow them', async () => {
    const lost = bench((what) => (what.startsWith('POST') ? away : undefined));
    await expect(lost.start()).rejects.toBe(away);
    expect(lost.clock.ticks()).toBeLessThan(300_000);
    expect([...lost.there]).toEqual([]);
    // The API goes away after the job was created, and is back later.
    const { start, there } = bench((what, times) => {
      if (what === 'POST services') return refused;
      return what === 'DELETE jobs' && times <= 3 ? away : undefined;
    });
    await expect(start()).rejects.toBe(refused);
    expect([...there]).toEqual([]);
  });
  it('tries again where a quota is being counted, and says so in the end', async () => {
    for (const what of ['POST jobs', 'POST services']) {
      const { start, there } = bench(
        () => undefined,
        (asked, times) => asked === what && times <= 3,
      );
      expect(await start()).toEqual(ranks);
      expect([...there]).toEqual(all);
    }
    const always = bench(
      () => undefined,
      (asked) => asked === 'POST jobs',
    );
    await expect(always.start()).rejects.toBe(contended);
    expect([...always.there]).toEqual([]);
  });
  it('limits pods to the processors that they ask for where the namespace wants a limit, and only there', async () => {
    const wants = bench(() => undefined);
    wants.wantsLimits();
    expect(await wants.start()).toEqual(ranks);
    expect(wants.limits).toEqual([expect.stringMatching(/^\d+$/)]);
    const { start, limits } = bench(() => undefined);
    await start();
    expect(limits).toEqual([undefined]);
  });
  it('ends jobs of earlier attempts that were left: they would write in the same folders', async () => {
    const { start, there, killed } = bench(() => undefined);
    there.add('jobs/ringlab-run-1');
    there.add('jobsets/ringlab-run-3');
    expect(await start(4)).toEqual(ranks);
    expect([...there]).toEqual(['jobs/ringlab-run-4', 'services/ringlab-run-4']);
    expect(killed).toEqual(['ringlab-run-1-0-x', 'ringlab-run-3-0-x']);
  });
});
