/**
 * Asks a Kubernetes cluster whether it would take the lab's pods: what the account may do there, and a dry run of the objects by
 * the API server, with the namespace's quotas and rules. Shown in the driver's row, which is the cluster's own matter.
 */
import { z } from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { previewObjects } from '../../../shared/lab/kubernetes-job.ts';
import type { KubernetesTarget } from '../../../shared/lab/kubernetes.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { kubernetesOf } from '../../../shared/lab/reached.ts';
import type { Job } from 'kubernetes-types/batch/v1';
import { phrase } from '../../i18n/index.ts';
import type { KubernetesApi, KubernetesCluster } from '../../kubernetes/index.ts';
import type { Step } from '../engine/step.ts';

/** What a run does there: `verb resource`, with the group of those that are not of the core. */
const needed = [
  ...(['create', 'get', 'list', 'watch', 'delete'] as const).map((verb) => ({
    verb,
    group: 'batch',
    resource: 'jobs',
  })),
  ...(['create', 'get', 'list', 'watch', 'delete'] as const).map((verb) => ({
    verb,
    group: '',
    resource: 'pods',
  })),
  { verb: 'create', group: '', resource: 'services' },
  { verb: 'create', group: '', resource: 'pods', subresource: 'exec' },
] as const;

const Review = z.object({ status: z.object({ allowed: z.boolean() }) });
const Version = z.object({ gitVersion: z.string().max(100) });
const Nodes = z.object({
  items: z
    .array(
      z.object({
        status: z.object({ allocatable: z.record(z.string(), z.string()).default({}) }).prefault({}),
      }),
    )
    .max(50_000),
});

const reviewPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Throws `cluster_forbidden` with all that is lacking, not only what is tried first. */
async function checkRights(api: KubernetesApi, signal: AbortSignal): Promise<void> {
  const namespace = await api.namespace();
  const lacking = await Promise.all(
    needed.map(async (right) => {
      const spec = { resourceAttributes: { namespace, ...right } };
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
      const answer = await api.request({ method: 'POST', path: reviewPath, body, signal });
      const { verb, resource } = right;
      const what = `${verb} ${resource}${'subresource' in right ? `/${right.subresource}` : ''}`;
      return Review.parse(answer.body).status.allowed ? [] : [what];
    }),
  );
  const what = lacking.flat();
  if (what.length === 0) return;
  const cluster = await api.name();
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

/** Of all machines; undefined for who may not list them. */
async function countGpus(api: KubernetesApi, signal: AbortSignal): Promise<number | undefined> {
  const { status, body } = await api.request({
    method: 'GET',
    path: '/api/v1/nodes',
    expects: [403],
    signal,
  });
  const { data } = Nodes.safeParse(body);
  if (status === 403 || data === undefined) return undefined;
  return data.items.reduce(
    (sum, { status: { allocatable } }) => sum + (Number(allocatable['nvidia.com/gpu']) || 0),
    0,
  );
}

export function createCheckKubernetes(cluster: (target: KubernetesTarget) => KubernetesCluster): Step {
  const ask = async ({ lab, signal }: Parameters<Step['verify']>[0]): Promise<Phrase> => {
    const target = kubernetesOf(lab);
    if (target === undefined) throw new RangeError('a lab of a Kubernetes cluster');
    const { api } = cluster(target);
    await checkRights(api, signal);
    const pods = await tryObjects(api, lab, target, signal);
    const namespace = await api.namespace();
    const answer = await api.request({ method: 'GET', path: '/version', signal });
    const version = Version.safeParse(answer.body).data?.gitVersion.replace(/^v/, '') ?? '';
    const gpus = await countGpus(api, signal);
    return gpus === undefined
      ? phrase('summaries.cluster.pods', { version, pods, namespace })
      : phrase('summaries.cluster.podsGpus', { version, pods, namespace, gpus });
  };
  return { id: 'driver', check: ask, apply: () => Promise.resolve(), verify: ask };
}
