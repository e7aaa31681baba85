/** What of a lab does not fit the Kubernetes cluster as it was last seen. Pure. */
import { podGroups } from '../lab/pod-groups.ts';
import type { LabDocument } from '../lab/lab.ts';
import type { KubernetesFacts, KubernetesMachines } from './kubernetes-facts.ts';
import type { Misfit } from './misfit.ts';

const gibi = 1024 ** 3;

interface Need {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: number;
}

/** Of each pod. */
const needsOf = (lab: LabDocument): Need[] =>
  podGroups(lab, undefined).flatMap(({ nodes, gpus }) =>
    nodes.map(({ placement: { cpus, memoryGb } }) => ({ cpus, memoryBytes: memoryGb * gibi, gpus })),
  );

export function kubernetesMisfits(lab: LabDocument, facts: KubernetesFacts): Misfit<'namespace' | 'nodes'>[] {
  const needs = needsOf(lab);
  const { namespace, lacking } = facts;
  return [
    ...(lacking.length === 0
      ? []
      : [
          {
            ...({ field: 'namespace', code: 'noRights' } as const),
            params: { namespace, what: lacking.join(', ') },
          },
        ]),
    ...machineMisfits(needs, facts.machines),
    ...quotaMisfits(needs, facts),
  ];
}

const fits = (need: Need, room: Need & Pick<KubernetesMachines, 'gpuPodsOnly'>): boolean =>
  (need.gpus > 0 || room.gpuPodsOnly !== true) &&
  need.cpus <= room.cpus &&
  need.memoryBytes <= room.memoryBytes &&
  need.gpus <= room.gpus;

function machineMisfits(
  needs: readonly Need[],
  machines: readonly KubernetesMachines[] | undefined,
): Misfit<'nodes'>[] {
  if (machines === undefined) return [];
  const missing = needs.find((need) => !machines.some((one) => fits(need, one)));
  if (missing !== undefined) {
    const { cpus, memoryBytes, gpus } = missing;
    const params = { cpus, gb: Math.ceil(memoryBytes / gibi), gpus };
    return [{ field: 'nodes', code: 'noSuchMachine', params }];
  }
  const placed = placedOf(needs, machines);
  const asked = needs.length;
  return placed < asked ? [{ field: 'nodes', code: 'tooManyPods', params: { asked, there: placed } }] : [];
}

/** How many of the pods empty machines have room for: the largest first, each where it first fits. */
function placedOf(needs: readonly Need[], machines: readonly KubernetesMachines[]): number {
  // More machines than pods of a kind make no difference.
  const rooms = machines.flatMap(({ count, ...room }) =>
    Array.from({ length: Math.min(count, needs.length) }, () => ({ ...room })),
  );
  const largestFirst = needs.toSorted(
    (a, b) => b.gpus - a.gpus || b.cpus - a.cpus || b.memoryBytes - a.memoryBytes,
  );
  let placed = 0;
  for (const need of largestFirst) {
    const room = rooms.find((one) => fits(need, one));
    if (room === undefined) continue;
    room.cpus -= need.cpus;
    room.memoryBytes -= need.memoryBytes;
    room.gpus -= need.gpus;
    placed += 1;
  }
  return placed;
}

/** What a pod counts as, by the names of a quota: memory and GPUs have equal limits, processors where a quota wants them. */
const countedOf = ({ cpus, memoryBytes, gpus }: Need): Record<string, number> => ({
  cpu: cpus,
  'requests.cpu': cpus,
  'limits.cpu': cpus,
  memory: memoryBytes,
  'requests.memory': memoryBytes,
  'limits.memory': memoryBytes,
  'requests.nvidia.com/gpu': gpus,
  pods: 1,
  'count/pods': 1,
});

function quotaMisfits(needs: readonly Need[], { quotas = [] }: KubernetesFacts): Misfit<'nodes'>[] {
  return quotas.flatMap(({ name, resource, hard, used }): Misfit<'nodes'>[] => {
    const asked = needs.reduce((sum, need) => sum + (countedOf(need)[resource] ?? 0), 0);
    const left = Math.max(0, hard - used);
    if (asked <= left) return [];
    const isBytes = resource.endsWith('memory');
    const shown = (amount: number): string =>
      isBytes ? `${Number((amount / gibi).toFixed(1))}Gi` : String(Number(amount.toFixed(3)));
    const params = { name, resource, asked: shown(asked), left: shown(left), hard: shown(hard) };
    return [{ field: 'nodes', code: 'quota', params }];
  });
}
