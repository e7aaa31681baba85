/** Asks a cluster what it offers a lab: rights, machines that its pods may be placed on, quotas. Changes nothing. */
import * as z from 'zod';
import { jobSetVersion } from '../../shared/lab/job-set.ts';
import { isOneSet } from '../../shared/lab/kubernetes-job.ts';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type {
  KubernetesFacts,
  KubernetesMachines,
  KubernetesQuota,
} from '../../shared/node/kubernetes-facts.ts';
import type { KubernetesApi } from './contract.ts';
import { pathOf } from './paths.ts';
import { amountOf } from './quantity.ts';
import { countsPods, QuotaSpec } from './quota-scopes.ts';

interface Right {
  readonly verb: string;
  /** Empty: the core's. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}
const allOf = (group: string, resource: string): Right[] =>
  ['create', 'get', 'list', 'watch', 'delete'].map((verb) => ({ verb, group, resource }));

/** What a run does there. */
const needed: readonly Right[] = [
  ...allOf('batch', 'jobs'),
  ...allOf('', 'pods'),
  { verb: 'create', group: '', resource: 'services' },
  // Commands in pods go over a WebSocket, a GET: its right is get. Newer clusters ask for create in addition.
  { verb: 'get', group: '', resource: 'pods', subresource: 'exec' },
  { verb: 'create', group: '', resource: 'pods', subresource: 'exec' },
];
/** Ringlab watches the Jobs of a JobSet, not the set. */
const ofJobSets = allOf('jobset.x-k8s.io', 'jobsets').filter(({ verb }) => !['list', 'watch'].includes(verb));

const reviewPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const maxMachines = 50_000;
/** Kinds of machines, and limits of quotas, that are looked at. */
const maxKinds = 1000;
const gpuResource = 'nvidia.com/gpu';

const Review = z.object({ status: z.object({ allowed: z.boolean() }) });
const Version = z.object({ gitVersion: z.string().max(100) });
const Amounts = z.record(z.string(), z.string()).default({});
const Nodes = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }).prefault({}),
        spec: z
          .object({
            unschedulable: z.boolean().default(false),
            taints: z
              .array(z.object({ key: z.string(), value: z.string().default(''), effect: z.string() }))
              .default([]),
          })
          .prefault({}),
        status: z.object({ allocatable: Amounts }).prefault({}),
      }),
    )
    .max(maxMachines),
});
type Node = z.infer<typeof Nodes>['items'][number];
const Quotas = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ name: z.string().max(253) }),
        spec: QuotaSpec.prefault({}),
        status: z.object({ hard: Amounts, used: Amounts }).prefault({}),
      }),
    )
    .max(1000),
});

async function lacking(
  api: KubernetesApi,
  rights: readonly Right[],
  signal?: AbortSignal,
): Promise<string[]> {
  const namespace = await api.namespace();
  const all = await Promise.all(
    rights.map(async (right) => {
      const spec = { resourceAttributes: { namespace, ...right } };
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
      const answer = await api.request({ method: 'POST', path: reviewPath, body, signal });
      const { verb, resource, subresource } = right;
      const what = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
      return Review.parse(answer.body).status.allowed ? [] : [what];
    }),
  );
  return all.flat();
}

/** Rights that a run needs and the account lacks: all of them, not only what is tried first. */
export const lackingRights = (api: KubernetesApi, signal: AbortSignal): Promise<string[]> =>
  lacking(api, needed, signal);

/**
 * Whether a lab's objects are one JobSet there: its nodes differ, the cluster has JobSets, and the account may create them.
 * @param order ids of the training nodes; undefined: as drawn
 */
export async function usesJobSet(
  api: KubernetesApi,
  lab: LabDocument,
  order: readonly string[] | undefined,
  signal?: AbortSignal,
): Promise<boolean> {
  if (!isOneSet(lab, order, true)) return false;
  const path = `/apis/${jobSetVersion}`;
  const { status } = await api.request({ method: 'GET', path, expects: [403, 404], signal });
  return status === 200 && (await lacking(api, ofJobSets, signal)).length === 0;
}

export async function versionOf(api: KubernetesApi, signal: AbortSignal): Promise<string> {
  const answer = await api.request({ method: 'GET', path: '/version', signal });
  return Version.safeParse(answer.body).data?.gitVersion.replace(/^v/, '') ?? '';
}

/**
 * As the scheduler decides it: by labels, taints, and whether it is cordoned.
 * @param asksGpus the cluster's admission lets pods tolerate a taint that is named after what they ask for
 */
function mayPlace(
  { metadata, spec }: Node,
  { nodeSelector = {}, tolerations = [] }: Pick<KubernetesTarget, 'nodeSelector' | 'tolerations'>,
  asksGpus: boolean,
): boolean {
  if (spec.unschedulable) return false;
  if (Object.entries(nodeSelector).some(([key, value]) => metadata.labels[key] !== value)) return false;
  return spec.taints.every(
    ({ key, value, effect }) =>
      effect === 'PreferNoSchedule' ||
      (asksGpus && key === gpuResource && effect === 'NoSchedule') ||
      tolerations.some(
        (one) =>
          one.key === key &&
          (one.value === undefined || one.value === value) &&
          (one.effect === undefined || one.effect === effect),
      ),
  );
}

/** Those that the target's pods may be placed on, alike ones together; undefined for who may not list them. */
export async function machinesOf(
  api: KubernetesApi,
  target: Pick<KubernetesTarget, 'nodeSelector' | 'tolerations'>,
  signal: AbortSignal,
): Promise<KubernetesMachines[] | undefined> {
  const { status, body } = await api.request({
    ...({ method: 'GET', path: '/api/v1/nodes', signal } as const),
    expects: [403],
  });
  const { data } = Nodes.safeParse(body);
  if (status === 403 || data === undefined) return undefined;
  const kinds = new Map<string, KubernetesMachines>();
  for (const node of data.items) {
    if (!mayPlace(node, target, true)) continue;
    const amount = (name: string): number => amountOf(node.status.allocatable[name] ?? '') ?? 0;
    const offer = {
      ...{ cpus: amount('cpu'), memoryBytes: amount('memory'), gpus: amount(gpuResource) },
      ...(mayPlace(node, target, false) ? {} : { gpuPodsOnly: true }),
    };
    const key = JSON.stringify(offer);
    if (!kinds.has(key) && kinds.size >= maxKinds) continue;
    kinds.set(key, { ...offer, count: (kinds.get(key)?.count ?? 0) + 1 });
  }
  return [...kinds.values()];
}

async function quotasOf(
  api: KubernetesApi,
  { priorityClass }: KubernetesTarget,
  signal: AbortSignal,
): Promise<KubernetesQuota[] | undefined> {
  const path = await pathOf(api, 'resourcequotas');
  const { status, body } = await api.request({ method: 'GET', path, signal, expects: [403] });
  const { data } = Quotas.safeParse(body);
  if (status === 403 || data === undefined) return undefined;
  const counting = data.items.filter(({ spec }) => countsPods(spec, priorityClass));
  const all = counting.flatMap(({ metadata: { name }, status: { hard, used } }) =>
    Object.entries(hard).flatMap(([resource, limit]): KubernetesQuota[] => {
      const max = amountOf(limit);
      return max === undefined
        ? []
        : [{ name, resource: resource.slice(0, 300), hard: max, used: amountOf(used[resource] ?? '') ?? 0 }];
    }),
  );
  return all.slice(0, maxKinds);
}

/** Rejects as `KubernetesApi.request` does. */
export async function readFacts(
  api: KubernetesApi,
  target: KubernetesTarget,
  signal: AbortSignal,
): Promise<KubernetesFacts> {
  const [version, missing, machines, quotas] = await Promise.all([
    versionOf(api, signal),
    lackingRights(api, signal),
    machinesOf(api, target, signal),
    quotasOf(api, target, signal),
  ]);
  return {
    version,
    namespace: await api.namespace(),
    lacking: missing,
    ...(machines === undefined ? {} : { machines }),
    ...(quotas === undefined ? {} : { quotas }),
  };
}
