/** What a Slurm cluster offers a user: partitions with their nodes, accounts, QOS, and the room in the home folder. */
import * as z from 'zod';
import { oneLine } from '../base/plain-text.ts';

const Count = z.number().int().nonnegative().max(1e9);
const Name = oneLine(128);
/** As Slurm writes a limit: `2-00:00:00`, `gres/gpu=4`. */
export const longestLimit = 200;
const Limit = oneLine(longestLimit);

/** Of a site with an account and a QOS for each group and partition. */
export const mostNames = 5000;
export const mostPartitions = 500;
/** Kinds of nodes of a partition, and of GPUs of a node. */
export const mostKinds = 200;
export const mostGpuKinds = 32;

/** Nodes of a partition that are alike. */
export const SlurmNodes = z.object({
  count: Count,
  idle: Count,
  cpus: Count,
  memoryMb: Count,
  /** Of each node. `type` is empty where the cluster gives none. */
  gpus: z.array(z.object({ type: Name, count: Count })).max(mostGpuKinds),
});
export type SlurmNodes = z.infer<typeof SlurmNodes>;

export const SlurmPartition = z.object({
  name: Name,
  isDefault: z.boolean(),
  isUp: z.boolean(),
  /** Absent: no limit. */
  maxMinutes: Count.optional(),
  /** Of a job that asks for no time. */
  defaultMinutes: Count.optional(),
  nodes: z.array(SlurmNodes).max(mostKinds),
});
export type SlurmPartition = z.infer<typeof SlurmPartition>;

/** An account that the user's jobs may be charged to. */
export const SlurmAccount = z.object({
  name: Name,
  /** Absent: in every partition. */
  partition: Name.optional(),
  qos: z.array(Name).max(mostNames),
  defaultQos: Name.optional(),
  maxJobs: Count.optional(),
  maxSubmit: Count.optional(),
  maxTime: Limit.optional(),
});
export type SlurmAccount = z.infer<typeof SlurmAccount>;

export const SlurmQos = z.object({
  name: Name,
  maxTime: Limit.optional(),
  /** Of one user at a time: `gres/gpu=4`. */
  maxOfUser: Limit.optional(),
  maxJobs: Count.optional(),
  maxSubmit: Count.optional(),
});
export type SlurmQos = z.infer<typeof SlurmQos>;

export const SlurmFacts = z.object({
  version: Name,
  partitions: z.array(SlurmPartition).max(mostPartitions),
  /** Absent where the cluster has no accounting, or does not let the user ask. */
  accounts: z.array(SlurmAccount).max(mostNames).optional(),
  qos: z.array(SlurmQos).max(mostNames).optional(),
  /** The login node's home folder, in bytes. */
  home: z.object({ free: z.number(), total: z.number() }).optional(),
  /** The user's quota there, in bytes, where the file system says. */
  quota: z.object({ used: z.number(), limit: z.number() }).optional(),
});
export type SlurmFacts = z.infer<typeof SlurmFacts>;

/** Whether a compute node sees the login node's home folder, by a file that a short job read there. */
export const FolderTrial = z.discriminatedUnion('state', [
  z.object({ state: z.literal('shared'), node: Name, folder: oneLine(1000) }),
  z.object({ state: z.literal('apart'), node: Name, folder: oneLine(1000) }),
  /** No node was free within so many seconds. */
  z.object({ state: z.literal('busy'), seconds: Count }),
]);
export type FolderTrial = z.infer<typeof FolderTrial>;

/** The names in a field, of which Slurm takes the partition in which the job starts first (sbatch(1), `--partition`). */
export const partitionNames = (field: string | undefined): string[] =>
  (field ?? '').split(',').filter((name) => name !== '');

/** The partitions that a job may get which names these, or none. */
export function partitionsOf(
  { partitions }: Pick<SlurmFacts, 'partitions'>,
  field: string | undefined,
): SlurmPartition[] {
  const names = partitionNames(field);
  return partitions.filter(({ name, isDefault }) => (names.length === 0 ? isDefault : names.includes(name)));
}

/** The first of them. */
export const partitionOf = (
  facts: Pick<SlurmFacts, 'partitions'>,
  field: string | undefined,
): SlurmPartition | undefined => partitionsOf(facts, field)[0];

/** Without repetitions, in the order of their first appearance. */
export const gpuTypesOf = (partition: SlurmPartition | undefined): string[] => [
  ...new Set(
    (partition?.nodes ?? [])
      .flatMap(({ gpus }) => gpus.map(({ type }) => type))
      .filter((type) => type !== ''),
  ),
];

/** Undefined: no limit. Minutes, minutes:seconds, hours:minutes:seconds, or any of them after days (slurm.conf(5)). */
export function minutesOf(text: string): number | undefined {
  const match = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, days, first = '0', second = '0', third] = match;
  if (days !== undefined) return Number(days) * 24 * 60 + Number(first) * 60 + Number(second);
  return third === undefined ? Number(first) : Number(first) * 60 + Number(second);
}
