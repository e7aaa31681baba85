/**
 * Asks a Kubernetes cluster whether it would take the lab's pods: what the account may do there, and a dry run of the objects by
 * the API server, with the namespace's quotas and rules. Shown in the driver's row, which is the cluster's own matter.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { previewObjects } from '../../../shared/lab/kubernetes-job.ts';
import type { KubernetesTarget } from '../../../shared/lab/kubernetes.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { kubernetesOf } from '../../../shared/lab/reached.ts';
import type { Job } from 'kubernetes-types/batch/v1';
import { phrase } from '../../i18n/index.ts';
import {
  lackingRights,
  machinesOf,
  versionOf,
  type KubernetesApi,
  type KubernetesCluster,
} from '../../kubernetes/index.ts';
import type { Step } from '../engine/step.ts';

/** Throws `cluster_forbidden` with all that is lacking, not only what is tried first. */
async function checkRights(api: KubernetesApi, signal: AbortSignal): Promise<void> {
  const what = await lackingRights(api, signal);
  if (what.length === 0) return;
  const [cluster, namespace] = [await api.name(), await api.namespace()];
  const reason = phrase('reasons.kubernetes.noRights', { what });
  throw new RinglabError('cluster_forbidden', { cluster, namespace, reason }, { where: cluster });
}

/** Quotas and the Pod Security Standards judge pods, not jobs: each job's pod is tried, too. */
async function tryObjects(
  api: KubernetesApi,
  lab: LabDocument,
  target: KubernetesTarget,
  signal: AbortSignal,
): Promise<number> {
  const namespace = encodeURIComponent(await api.namespace());
  const query = { dryRun: 'All', fieldValidation: 'Strict' };
  const attempt = async (path: string, body: unknown): Promise<void> =>
    void (await api.request({ method: 'POST', path, query, body, signal }));
  const objects = previewObjects(lab, target);
  let pods = 0;
  for (const one of objects) {
    if (one.kind === 'Service') await attempt(`/api/v1/namespaces/${namespace}/services`, one);
    if (!isJob(one)) continue;
    pods += one.spec?.completions ?? 0;
    await attempt(`/apis/batch/v1/namespaces/${namespace}/jobs`, one);
    const { template } = one.spec ?? {};
    await attempt(`/api/v1/namespaces/${namespace}/pods`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${one.metadata?.name ?? ''}-try`, labels: template?.metadata?.labels },
      spec: template?.spec,
    });
  }
  return pods;
}

const isJob = (one: { readonly kind?: string }): one is Job => one.kind === 'Job';

export function createCheckKubernetes(cluster: (target: KubernetesTarget) => KubernetesCluster): Step {
  const ask = async ({ lab, signal }: Parameters<Step['verify']>[0]): Promise<Phrase> => {
    const target = kubernetesOf(lab);
    if (target === undefined) throw new RangeError('a lab of a Kubernetes cluster');
    const { api } = cluster(target);
    await checkRights(api, signal);
    const pods = await tryObjects(api, lab, target, signal);
    const namespace = await api.namespace();
    const version = await versionOf(api, signal);
    const machines = await machinesOf(api, target, signal);
    const gpus = machines?.reduce((sum, one) => sum + one.count * one.gpus, 0);
    return gpus === undefined
      ? phrase('summaries.cluster.pods', { version, pods, namespace })
      : phrase('summaries.cluster.podsGpus', { version, pods, namespace, gpus });
  };
  return { id: 'cluster', place: 'driver', check: ask, apply: () => Promise.resolve(), verify: ask };
}
