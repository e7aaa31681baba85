import { expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { KubernetesTarget } from '../../../shared/lab/kubernetes.ts';
import type { ApiRequest, KubernetesCluster } from '../../kubernetes/index.ts';
import type { StepContext } from '../engine/step.ts';
import { labOf } from '../testing/bench.ts';
import { createCheckKubernetes } from './kubernetes.ts';

/** A namespace whose quota has no room for a further pod. */
function full(target: Omit<KubernetesTarget, 'type'>) {
  const lab = labOf(['anna', 'bert']);
  lab.experiment.where = { type: 'kubernetes', ...target };
  const reason = 'exceeded quota: requested: pods=1, used: pods=2, limited: pods=2';
  const request = ({ path, query }: ApiRequest) => {
    if (path.endsWith('/pods') && query?.dryRun !== undefined)
      return Promise.reject(new RinglabError('pods_refused', { cluster: 'test', namespace: 'team', reason }));
    if (path === '/version') return Promise.resolve({ status: 200, body: { gitVersion: 'v1.32.0' } });
    if (path.endsWith('/nodes')) return Promise.resolve({ status: 403, body: {} });
    return Promise.resolve({ status: 201, body: { status: { allowed: true } } });
  };
  const api = {
    ...{ name: () => Promise.resolve('test'), namespace: () => Promise.resolve('team'), request },
  };
  // What the step uses of a cluster.
  const step = createCheckKubernetes(() => ({ api }) as unknown as KubernetesCluster);
  return step.check({ lab, signal: new AbortController().signal } as StepContext);
}

it('a job that the namespace’s quota refuses is refused before it is created', async () => {
  await expect(full({ image: 'any', claim: 'shared' })).rejects.toMatchObject({
    code: 'pods_refused',
    params: { reason: expect.stringContaining('exceeded quota') as unknown },
  });
});
it('a lab whose pods are machines needs no room for one more: they run already', async () => {
  expect(await full({ image: 'any' })).toMatchObject({
    en: 'Kubernetes 1.32.0 takes the job: 2 pods in the namespace team',
  });
});
