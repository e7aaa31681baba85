/**
 * Asks a Kubernetes cluster whether it would take the lab's pods: what the account may do there, and a dry run of the objects by
 * the API server, with the namespace's quotas and rules. Shown in the driver's row, which is the cluster's own matter.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import type { JobSet } from '../../../shared/lab/job-set.ts';
import { previewObjects } from '../../../shared/lab/kubernetes-machines.ts';
import type { KubernetesTarget } from '../../../shared/lab/kubernetes.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { kubernetesOf } from '../../../shared/lab/reached.ts';
import type { Job, JobSpec } from 'kubernetes-types/batch/v1';
import type { ObjectMeta } from 'kubernetes-types/meta/v1';
import { phrase } from '../../i18n/index.ts';
import {
  lackingRights,
  machinesOf,
  pathOf,
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

/** Quotas and the Pod Security Standards judge pods, not what makes them: a pod of each is tried, too. */
async function tryObjects(
  api: KubernetesApi,
  lab: LabDocument,
  target: KubernetesTarget,
  signal: AbortSignal,
): Promise<number> {
  const query = { dryRun: 'All', fieldValidation: 'Strict' };
  const attempt = async (path: string, body: unknown): Promise<void> =>
    void (await api.request({ method: 'POST', path, query, body, signal }));
  let pods = 0;
  for (const one of previewObjects(lab, target, await usesJobSet(api, lab, undefined, signal))) {
    if (!isWork(one)) {
      await attempt(await pathOf(api, 'services'), one);
      continue;
    }
    await attempt(await pathOf(api, one.kind === 'JobSet' ? 'jobsets' : 'jobs'), one);
    for (const [at, { completions = 0, template }] of specsOf(one).entries()) {
      pods += completions;
      await attempt(await pathOf(api, 'pods'), {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `${one.metadata.name ?? ''}-${at}-try`, labels: template.metadata?.labels },
        spec: template.spec,
      });
    }
  }
  return pods;
}

type Work = JobSet | (Job & { readonly kind: 'Job'; readonly metadata: ObjectMeta });
const isWork = (one: { readonly kind?: string }): one is Work => one.kind === 'Job' || one.kind === 'JobSet';

const specsOf = (one: Work): readonly JobSpec[] =>
  one.kind === 'JobSet'
    ? one.spec.replicatedJobs.map(({ template }) => template.spec)
    : one.spec === undefined
      ? []
      : [one.spec];

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
