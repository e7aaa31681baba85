/**
 * Asks a Kubernetes cluster whether it would take the lab's pods: what the account may do there, and a dry run of the objects by
 * the API server, with the namespace's quotas and rules. Shown in the driver's row, which is the cluster's own matter.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { previewObjects } from '../../../shared/lab/kubernetes-machines.ts';
import type { KubernetesTarget } from '../../../shared/lab/kubernetes.ts';
import { hasSharedFolder, kubernetesOf } from '../../../shared/lab/reached.ts';
import { phrase } from '../../i18n/index.ts';
import {
  lackingRights,
  machinesOf,
  podCountOf,
  tryObjects,
  usesJobSet,
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

export function createCheckKubernetes(cluster: (target: KubernetesTarget) => KubernetesCluster): Step {
  const ask = async ({ lab, signal }: Parameters<Step['verify']>[0]): Promise<Phrase> => {
    const target = kubernetesOf(lab);
    if (target === undefined) throw new RangeError('a lab of a Kubernetes cluster');
    const { api } = cluster(target);
    await checkRights(api, signal);
    const objects = previewObjects(lab, target, await usesJobSet(api, lab, undefined, signal));
    // Pods that are machines were tried before they were created, and use what they need: a quota need not have room for one more.
    if (hasSharedFolder(lab)) await tryObjects(api, objects, signal);
    const pods = podCountOf(objects);
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
