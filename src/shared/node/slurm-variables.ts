/**
 * Shell text against variables by which users change Slurm's commands for their own terminals ('ENVIRONMENT VARIABLES' of squeue(1),
 * scancel(1), sinfo(1), sacct(1), sbatch(1), srun(1)): an exported SQUEUE_PARTITION hides a job, an SBATCH_TIMELIMIT wins over the
 * script, and a SLURM_TIMELIMIT goes into the job, where it ends the ranks' step. Pure.
 */

const names = ['SQUEUE', 'SCANCEL', 'SINFO', 'SACCT'].map(
  (program) => `s/^\\(${program}_[A-Z0-9_]*\\)=.*/\\1/p`,
);

/** Before `squeue`, `scancel`, `sinfo` and `sacct`: they then filter by nothing but their options. */
export const withoutFilters = `for variable in $(env | sed -n '${names.join('; ')}'); do unset "$variable"; done`;

/** What Ringlab decides for each job: resources, how it is found again, stopped and requeued, and that `sbatch` returns. */
const decided = [
  ...[
    'ARRAY_INX',
    'CLUSTERS',
    'CPUS_PER_GPU',
    'ERROR',
    'GPUS',
    'GPUS_PER_NODE',
    'GPUS_PER_SOCKET',
    'GPUS_PER_TASK',
    'GRES',
  ],
  ...['INPUT', 'JOB_NAME', 'MEM_PER_CPU', 'MEM_PER_GPU', 'MEM_PER_NODE', 'NO_REQUEUE', 'OPEN_MODE', 'OUTPUT'],
  ...['OVERCOMMIT', 'REQUEUE', 'SIGNAL', 'WAIT'],
];

/** What a lab may leave to the user's variables: the option, and its letter. */
const left: readonly (readonly [variable: string, option: string, letter?: string])[] = [
  ['ACCOUNT', 'account', 'A'],
  ['CONSTRAINT', 'constraint', 'C'],
  ['DISTRIBUTION', 'distribution', 'm'],
  ['EXCLUSIVE', 'exclusive'],
  ['EXPORT', 'export'],
  ['PARTITION', 'partition', 'p'],
  ['QOS', 'qos', 'q'],
  ['RESERVATION', 'reservation'],
  ['TIMELIMIT', 'time', 't'],
  ['WCKEY', 'wckey'],
];

/** Of `srun`'s own, what says where a cluster is and how its nodes take a process; all others would change the ranks' step. */
const kept = 'CLUSTERS|CONF|CPU_BIND|JWT|MPI_TYPE|NETWORK';
const withoutStepOptions = `for variable in $(env | sed -n 's/^\\(SLURM_[A-Z0-9_]*\\)=.*/\\1/p' | grep -Evx 'SLURM_(${kept})'); do unset "$variable"; done`;

/**
 * Before `sbatch`, for which a variable counts more than a line of the script.
 * @param script with its `#SBATCH` lines
 */
export function withoutOverrides(script: string): string {
  const states = (option: string, letter: string | undefined): boolean =>
    new RegExp(
      `^#SBATCH (?:.*\\s)?(?:--${option}(?![\\w-])${letter === undefined ? '' : `|-${letter}`})`,
      'm',
    ).test(script);
  const stated = left.flatMap(([variable, option, letter]) => (states(option, letter) ? [variable] : []));
  return `unset ${[...decided, ...stated].map((name) => `SBATCH_${name}`).join(' ')}\n${withoutStepOptions}`;
}
