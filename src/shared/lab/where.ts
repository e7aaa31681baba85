/** Where an experiment's drawn nodes train: on machines reached over SSH, or as a job of a cluster's scheduler. */
import * as z from 'zod';
import { SshAccess } from './access.ts';
import { KubernetesTarget } from './kubernetes.ts';
import { oneLine } from '../base/plain-text.ts';

/** A name of the cluster's administration: a partition, an account, a QOS, a reservation, a type of GPU. */
const ClusterName = z.string().regex(/^(|[A-Za-z0-9_][A-Za-z0-9_.,:+@-]{0,127})$/, 'cluster_name');

const maxModules = 32;
const maxSbatchOptions = 32;
/** A year: what a cluster's own limit allows is for the cluster to say. */
const maxMinutes = 366 * 24 * 60;

export const SlurmTarget = z.object({
  type: z.literal('slurm'),
  /** The only machine that is logged in to; the trainer, the data and the runs lie in its home, which the compute nodes share. */
  login: SshAccess,
  /** Another folder that they share, in place of the home. */
  folder: z
    .string()
    .regex(/^\/(?!.*\.\.)[A-Za-z0-9_./@+-]{1,499}$/)
    .optional(),
  /** The folder is each machine's own: its files are copied to the compute nodes, and what the ranks write comes back. */
  nodeLocal: z.boolean().optional(),
  partition: ClusterName.optional(),
  account: ClusterName.optional(),
  qos: ClusterName.optional(),
  /** Absent: the partition's default. */
  timeLimitMinutes: z.number().int().min(1).max(maxMinutes).optional(),
  /** As the cluster names it in `gres`: `a100`. Absent: any GPU. */
  gpuType: ClusterName.optional(),
  /** Loaded before the ranks start: `cuda/12.1`. */
  modules: z
    .array(z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.+/-]{0,199}$/))
    .max(maxModules)
    .optional(),
  /** Of Apptainer, in which the ranks run: a file of the compute nodes, or an address such as `docker://debian:12`. */
  image: z
    .string()
    .regex(/^[A-Za-z0-9_./~][A-Za-z0-9_./:@+-]{0,499}$/)
    .optional(),
  /** Before the time limit the ranks save a checkpoint, and the job returns to the queue and goes on from there. */
  requeue: z.boolean().optional(),
  /** Further options of `sbatch`, one each: `--constraint=a100`. */
  options: z.array(oneLine(500)).max(maxSbatchOptions).optional(),
});
export type SlurmTarget = z.infer<typeof SlurmTarget>;

/** A cluster, whose scheduler chooses the machines. */
export type ClusterTarget = SlurmTarget | KubernetesTarget;

export const Where = z.discriminatedUnion('type', [
  z.object({ type: z.literal('machines') }),
  SlurmTarget,
  KubernetesTarget,
]);
export type Where = z.infer<typeof Where>;

/** What the cluster is called in messages, even before its login node has an address. */
export const clusterName = (target: ClusterTarget): string =>
  target.type === 'slurm' ? target.login.host.trim() || 'Slurm' : target.context?.trim() || 'Kubernetes';

export const newSlurmTarget = (): SlurmTarget => ({
  type: 'slurm',
  login: { type: 'ssh', host: '', port: 22, user: '', authentication: { method: 'agent' } },
});

/** `--name` or `--name=value`, or a letter: what `#SBATCH` accepts, without quotes and comments. */
const optionForm = /^(?:--([a-z][a-z-]*)(?:[= ]\s*[^\s'"#]+)?|-([A-Za-z])(?:\s*[^\s'"#]+)?)$/;
/** What Ringlab decides by itself: the shape of the job, its files, its name, and how it is signalled. */
const ownOptions: ReadonlySet<string> = new Set([
  ...['nodes', 'ntasks', 'ntasks-per-node', 'job-name', 'output', 'error', 'input', 'chdir', 'wrap', 'array'],
  ...[
    'open-mode',
    'signal',
    'requeue',
    'no-requeue',
    'export',
    'export-file',
    'wait',
    'parsable',
    'test-only',
  ],
  ...['N', 'n', 'J', 'o', 'e', 'i', 'D', 'a', 'W', 'distribution', 'm', 'hold', 'H', 'clusters', 'M'],
]);

/** Why an additional option of `sbatch` is not accepted; undefined where it is. */
export function sbatchOptionProblem(option: string): 'form' | 'own' | undefined {
  const match = optionForm.exec(option.trim());
  if (match === null) return 'form';
  return ownOptions.has(match[1] ?? match[2] ?? '') ? 'own' : undefined;
}
