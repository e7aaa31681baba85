/** What of a lab does not fit the cluster as it was last seen. Pure. */
import { jobParts, type JobPart } from '../lab/slurm-script.ts';
import type { LabDocument } from '../lab/lab.ts';
import type { SlurmTarget } from '../lab/where.ts';
import {
  gpuTypesOf,
  minutesOf,
  partitionNames,
  partitionsOf,
  type SlurmAccount,
  type SlurmFacts,
  type SlurmNodes,
  type SlurmPartition,
} from './slurm-facts.ts';
import type { Misfit } from './misfit.ts';

/** The field of `experiment.where` that a misfit concerns; `nodes`: what is drawn. */
export type MisfitField = 'partition' | 'account' | 'qos' | 'gpuType' | 'timeLimitMinutes' | 'nodes';

const list = (names: readonly string[]): string => [...new Set(names)].slice(0, 20).join(', ') || '–';

export function slurmMisfits(lab: LabDocument, slurm: SlurmTarget, facts: SlurmFacts): Misfit<MisfitField>[] {
  const partitions = partitionsOf(facts, slurm.partition);
  // Of several one that takes the job is enough. A cluster without a default partition says so itself.
  const [best = []] = partitions
    .map((partition) => [...partitionMisfits(slurm, partition), ...nodeMisfits(lab, slurm, partition)])
    .toSorted((a, b) => a.length - b.length);
  return [
    ...unknownPartitions(slurm, facts),
    ...best.filter(({ field }) => field !== 'nodes'),
    ...accountMisfits(
      slurm,
      facts,
      partitions.map(({ name }) => name),
    ),
    ...best.filter(({ field }) => field === 'nodes'),
  ];
}

function unknownPartitions({ partition }: SlurmTarget, { partitions }: SlurmFacts): Misfit<MisfitField>[] {
  const known = partitions.map(({ name }) => name);
  const unknown = partitionNames(partition).find((name) => !known.includes(name));
  if (unknown === undefined) return [];
  return [{ field: 'partition', code: 'noPartition', params: { name: unknown, names: list(known) } }];
}

function partitionMisfits(
  { timeLimitMinutes, gpuType }: SlurmTarget,
  partition: SlurmPartition,
): Misfit<MisfitField>[] {
  const found: Misfit<MisfitField>[] = [];
  if (!partition.isUp) found.push({ field: 'partition', code: 'down', params: { name: partition.name } });
  const { maxMinutes } = partition;
  if (timeLimitMinutes !== undefined && maxMinutes !== undefined && timeLimitMinutes > maxMinutes)
    found.push({
      field: 'timeLimitMinutes',
      code: 'time',
      params: { name: partition.name, minutes: maxMinutes },
    });
  const types = gpuTypesOf(partition);
  if (gpuType !== undefined && gpuType !== '' && !types.includes(gpuType))
    found.push({
      field: 'gpuType',
      code: 'noGpuType',
      params: { name: gpuType, partition: partition.name, names: list(types) },
    });
  return found;
}

/** Slurm keeps names of accounts and QOS in lower case, and takes them in any. */
const isSame = (name: string, asked: string): boolean => name.toLowerCase() === asked.toLowerCase();

function accountMisfits(
  slurm: SlurmTarget,
  { accounts, qos: known }: SlurmFacts,
  partitions: readonly string[],
): Misfit<MisfitField>[] {
  if (accounts === undefined || accounts.length === 0) return [];
  const { account, qos } = slurm;
  const here = accounts.filter(
    ({ partition }) => partition === undefined || partitions.length === 0 || partitions.includes(partition),
  );
  const found: Misfit<MisfitField>[] = [];
  const isNamed = account !== undefined && account !== '';
  const own = isNamed ? here.filter(({ name }) => isSame(name, account)) : here;
  if (isNamed && own.length === 0)
    found.push({
      field: 'account',
      code: 'noAccount',
      params: { name: account, names: list(here.map(({ name }) => name)) },
    });
  const allowed = own.flatMap((one) => one.qos);
  if (qos !== undefined && qos !== '' && allowed.length > 0 && !allowed.some((one) => isSame(one, qos)))
    found.push({ field: 'qos', code: 'noQos', params: { name: qos, names: list(allowed) } });
  return [...found, ...timeMisfits(slurm, own, known)];
}

/** The QOS's limit comes before the account's. Of several accounts that a job may be charged to, one that allows the time is enough. */
function timeMisfits(
  { qos, timeLimitMinutes }: SlurmTarget,
  accounts: readonly SlurmAccount[],
  known: SlurmFacts['qos'] = [],
): Misfit<MisfitField>[] {
  if (timeLimitMinutes === undefined) return [];
  const limits = accounts.map((account) => {
    const name = qos === undefined || qos === '' ? (account.defaultQos ?? '') : qos;
    const ofQos = minutesOf(known.find((one) => isSame(one.name, name))?.maxTime ?? '');
    if (ofQos !== undefined) return { code: 'qosTime' as const, name, minutes: ofQos };
    const minutes = minutesOf(account.maxTime ?? '') ?? Infinity;
    return { code: 'accountTime' as const, name: account.name, minutes };
  });
  const [longest] = limits.toSorted((a, b) => b.minutes - a.minutes);
  if (longest === undefined || timeLimitMinutes <= longest.minutes) return [];
  const { code, name, minutes } = longest;
  return [{ field: 'timeLimitMinutes', code, params: { name, minutes } }];
}

const gpusOf = ({ gpus }: SlurmNodes, type: string | undefined): number =>
  Math.max(
    0,
    ...gpus.filter((one) => type === undefined || type === '' || one.type === type).map(({ count }) => count),
  );

function nodeMisfits(
  lab: LabDocument,
  { gpuType }: SlurmTarget,
  partition: SlurmPartition,
): Misfit<MisfitField>[] {
  const parts = jobParts(lab);
  const there = partition.nodes.reduce((sum, { count }) => sum + count, 0);
  const asked = parts.reduce((sum, { nodes }) => sum + nodes, 0);
  const found: Misfit<MisfitField>[] = [];
  if (asked > there)
    found.push({ field: 'nodes', code: 'tooManyNodes', params: { asked, there, name: partition.name } });
  const fits = (part: JobPart, nodes: SlurmNodes): boolean =>
    part.cpusPerTask * part.tasksPerNode <= nodes.cpus &&
    part.memoryMb <= nodes.memoryMb &&
    part.gpus <= gpusOf(nodes, gpuType);
  const missing = parts.find((part) => !partition.nodes.some((nodes) => fits(part, nodes)));
  if (missing !== undefined)
    found.push({
      field: 'nodes',
      code: 'noSuchNode',
      params: {
        name: partition.name,
        cpus: missing.cpusPerTask * missing.tasksPerNode,
        gb: Math.ceil(missing.memoryMb / 1024),
        gpus: missing.gpus,
      },
    });
  return found;
}
