import { describe, expect, it } from 'vitest';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import type { ApiRequest, KubernetesApi } from './contract.ts';
import { readFacts } from './facts.ts';
import { amountOf } from './quantity.ts';

const gibi = 1024 ** 3;
const target: KubernetesTarget = { type: 'kubernetes', image: 'any:1' };
const node = (allocatable: Record<string, string>, spec: object = {}, labels: object = {}) => ({
  metadata: { labels },
  spec,
  status: { allocatable },
});

/** Answers as an API server of Kubernetes 1.32 does; a status alone is a refusal. */
function answering(
  nodes: unknown,
  quotas: unknown = { items: [] },
  denied: readonly string[] = [],
): KubernetesApi {
  const reply = ({ path, body }: ApiRequest): unknown => {
    if (path === '/version') return { gitVersion: 'v1.32.13' };
    if (path.endsWith('/nodes')) return nodes;
    if (path.endsWith('/resourcequotas')) return quotas;
    return { status: { allowed: !denied.some((word) => JSON.stringify(body).includes(word)) } };
  };
  const unused = (): never => {
    throw new Error('not asked for');
  };
  return {
    name: () => Promise.resolve('test'),
    namespace: () => Promise.resolve('team'),
    request(what) {
      const answer = reply(what);
      return Promise.resolve(
        typeof answer === 'number' ? { status: answer, body: {} } : { status: 200, body: answer },
      );
    },
    lines: unused,
    exec: unused,
  };
}
const read = (api: KubernetesApi, change: Partial<KubernetesTarget> = {}) =>
  readFacts(api, { ...target, ...change }, new AbortController().signal);

describe('what a cluster offers', () => {
  it('counts machines that are alike, without those on which the pods may not be placed', async () => {
    const large = { cpu: '15890m', memory: '64Gi', 'nvidia.com/gpu': '4' };
    const taint = { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] };
    const items = [
      node(large),
      node(large),
      node({ cpu: '2', memory: '1048576Ki' }),
      node({ cpu: '4', memory: '2Gi' }, taint),
      node({ cpu: '8', memory: '2Gi' }, { unschedulable: true }),
      node({ cpu: '1', memory: '1Gi' }, {}, { zone: 'b' }),
    ];
    const all = await read(answering({ items }));
    expect(all).toMatchObject({ version: '1.32.13', namespace: 'team', lacking: [], quotas: [] });
    expect(all.machines).toEqual([
      { count: 2, cpus: 15.89, memoryBytes: 64 * gibi, gpus: 4 },
      { count: 1, cpus: 2, memoryBytes: gibi, gpus: 0 },
      { count: 1, cpus: 1, memoryBytes: gibi, gpus: 0 },
    ]);
    expect((await read(answering({ items }), { nodeSelector: { zone: 'b' } })).machines).toHaveLength(1);
    expect((await read(answering({ items }), { tolerations: [{ key: 'gpu' }] })).machines).toHaveLength(4);
    expect(
      (await read(answering({ items }), { tolerations: [{ key: 'gpu', value: 'no' }] })).machines,
    ).toHaveLength(3);
  });
  it('counts machines that are kept for GPUs for pods that ask for some', async () => {
    const gpus = { cpu: '12', memory: '64Gi', 'nvidia.com/gpu': '1' };
    const kept = (effect: string) => ({ taints: [{ key: 'nvidia.com/gpu', value: 'present', effect }] });
    const items = [node(gpus, kept('NoSchedule')), node(gpus), node(gpus, kept('NoExecute'))];
    expect((await read(answering({ items }))).machines).toEqual([
      { count: 1, cpus: 12, memoryBytes: 64 * gibi, gpus: 1, gpuPodsOnly: true },
      { count: 1, cpus: 12, memoryBytes: 64 * gibi, gpus: 1 },
    ]);
    const tolerations = [{ key: 'nvidia.com/gpu' }];
    expect((await read(answering({ items }), { tolerations })).machines).toMatchObject([{ count: 3 }]);
  });
  it('says which rights are lacking, and does without what the account may not list', async () => {
    const facts = await read(answering(403, 403, ['"verb":"create"']));
    expect(facts).toEqual({
      version: '1.32.13',
      namespace: 'team',
      lacking: ['create jobs', 'create pods', 'create services', 'create pods/exec'],
    });
  });
  it('knows that a command in a pod needs get pods/exec, too: it goes over a WebSocket', async () => {
    const denied = ['"verb":"get","group":"","resource":"pods","subresource":"exec"'];
    expect((await read(answering(403, 403, denied))).lacking).toEqual(['get pods/exec']);
  });
  it('reads quotas in processors, bytes and numbers', async () => {
    const quotas = {
      items: [
        {
          metadata: { name: 'team' },
          status: {
            hard: { 'requests.cpu': '20', 'limits.memory': '1Ti', pods: 'many' },
            used: { 'requests.cpu': '1500m' },
          },
        },
      ],
    };
    expect((await read(answering({ items: [] }, quotas))).quotas).toEqual([
      { name: 'team', resource: 'requests.cpu', hard: 20, used: 1.5 },
      { name: 'team', resource: 'limits.memory', hard: 1024 ** 4, used: 0 },
    ]);
  });
  it('leaves out quotas that are for pods of another kind', async () => {
    const quota = (name: string, spec: object) => ({
      metadata: { name },
      spec,
      status: { hard: { pods: '0' } },
    });
    const selecting = (operator: string, values?: string[]) => ({
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
    });
    const quotas = {
      items: [
        quota('all', {}),
        quota('best-effort', { scopes: ['BestEffort'] }),
        quota('terminating', { scopes: ['NotBestEffort', 'Terminating'] }),
        quota('lasting', { scopes: ['NotBestEffort', 'NotTerminating'] }),
        quota('affinity', {
          scopeSelector: {
            matchExpressions: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }],
          },
        }),
        quota('high', selecting('In', ['high'])),
        quota('not-high', selecting('NotIn', ['high'])),
        quota('any', selecting('Exists')),
        quota('none', selecting('DoesNotExist')),
        quota('of-a-class', { scopes: ['PriorityClass'] }),
      ],
    };
    const namesFor = async (change: Partial<KubernetesTarget>) =>
      (await read(answering({ items: [] }, quotas), change)).quotas?.map(({ name }) => name);
    expect(await namesFor({})).toEqual(['all', 'lasting', 'not-high', 'none']);
    expect(await namesFor({ priorityClass: 'high' })).toEqual([
      ...['all', 'lasting', 'high', 'any', 'of-a-class'],
    ]);
    expect(await namesFor({ priorityClass: 'low' })).toEqual([
      ...['all', 'lasting', 'not-high', 'any', 'of-a-class'],
    ]);
  });
  it('knows how Kubernetes writes amounts', () => {
    expect(['2', '0.5', '500m', '16Gi', '1e3', '12E2', '.5k', '7E'].map(amountOf)).toEqual([
      ...[2, 0.5, 0.5, 16 * gibi, 1000, 1200, 500, 7e18],
    ]);
    expect(['', '-1', 'Gi', '1 Gi', '1GiB', 'x', '1e999'].map(amountOf)).toEqual(
      Array.from({ length: 7 }, () => undefined),
    );
  });
});
