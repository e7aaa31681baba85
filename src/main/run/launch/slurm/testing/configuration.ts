/** For tests: the files that Slurm's programs read on every machine of a cluster (slurm.conf(5), gres.conf(5)). Pure. */

export interface ClusterShape {
  /** Names of the compute nodes. */
  readonly nodes: readonly string[];
  /** Each node's processors, as the scheduler counts them; this machine may have fewer. */
  readonly cpus: number;
  /** Each node's memory in MiB, as the scheduler counts it. */
  readonly memory: number;
  /** Each node's GPUs; other devices stand for them. */
  readonly gpus: number;
  /** Jobs are recorded by slurmdbd, and need an account with limits. */
  readonly accounting: boolean;
}

/** Partitions of every cluster. */
const partitions = {
  /** The default: every node, an hour at most, ten minutes where a job asks for nothing. */
  main: 'main',
  /** A minute at most. */
  short: 'short',
  /** For one account that no user has. */
  closed: 'closed',
  /** For everyone, but Slurm lists neither it nor its jobs where it is not asked for all. */
  hidden: 'hidden',
  /** Its jobs displace those of the others, which are queued again. */
  urgent: 'urgent',
} as const;

const gpuType = 'a100';
export const gpuFile = (index: number | string): string => `/etc/slurm/gpu/${index}`;

export function slurmConf({ nodes, cpus, memory, gpus, accounting }: ClusterShape): string {
  const all = nodes.join(',');
  return [
    'ClusterName=ringlab',
    'SlurmctldHost=controller',
    'SlurmUser=slurm',
    'AuthType=auth/munge',
    'CredType=cred/munge',
    'StateSaveLocation=/srv/slurmctld',
    'SlurmdSpoolDir=/srv/slurmd',
    'SlurmctldPidFile=/run/slurm/slurmctld.pid',
    'SlurmdPidFile=/run/slurm/slurmd.pid',
    'SlurmctldLogFile=/srv/slurmctld.log',
    'SlurmdLogFile=/srv/slurmd.log',
    'SlurmctldDebug=info',
    'SlurmdDebug=info',
    // Containers often have no cgroup that may be written; these plugins need none.
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'JobAcctGatherType=jobacct_gather/linux',
    'JobAcctGatherFrequency=5',
    'MpiDefault=none',
    'SwitchType=switch/none',
    // The number of processors below counts, not what this machine has.
    'SlurmdParameters=config_overrides',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_CPU_Memory',
    'SchedulerType=sched/backfill',
    // A queued job's expected start is known after some seconds.
    'SchedulerParameters=bf_interval=3,sched_interval=5',
    'PriorityType=priority/basic',
    'PreemptType=preempt/partition_prio',
    'PreemptMode=REQUEUE',
    'JobRequeue=1',
    'ReturnToService=2',
    // Faults are noticed in seconds, where a real cluster takes minutes.
    'SlurmdTimeout=10',
    'SlurmctldTimeout=10',
    'InactiveLimit=0',
    'KillWait=5',
    'MinJobAge=300',
    ...(accounting
      ? [
          'AccountingStorageType=accounting_storage/slurmdbd',
          'AccountingStorageHost=controller',
          'AccountingStorageEnforce=associations,limits,qos',
          'AccountingStorageTRES=gres/gpu',
        ]
      : []),
    `DefMemPerCPU=${Math.floor(memory / cpus)}`,
    'GresTypes=gpu',
    `NodeName=${all} CPUs=${cpus} RealMemory=${memory} Gres=gpu:${gpuType}:${gpus} State=UNKNOWN`,
    `PartitionName=${partitions.main} Nodes=${all} Default=YES MaxTime=60 DefaultTime=10 PriorityTier=1 State=UP`,
    `PartitionName=${partitions.short} Nodes=${all} MaxTime=1 DefaultTime=1 PriorityTier=1 State=UP`,
    `PartitionName=${partitions.closed} Nodes=${all} MaxTime=60 AllowGroups=slurm PriorityTier=1 State=UP`,
    `PartitionName=${partitions.hidden} Nodes=${all} MaxTime=60 DefaultTime=10 Hidden=YES PriorityTier=1 State=UP`,
    `PartitionName=${partitions.urgent} Nodes=${all} MaxTime=60 DefaultTime=10 PriorityTier=10 PreemptMode=OFF State=UP`,
    '',
  ].join('\n');
}

/** slurmdbd.conf(5); MariaDB is reached by Debian's default socket. */
export const slurmdbdConf = [
  'AuthType=auth/munge',
  'DbdHost=controller',
  'SlurmUser=slurm',
  'PidFile=/run/slurm/slurmdbd.pid',
  'LogFile=/srv/slurmdbd.log',
  'StorageType=accounting_storage/mysql',
  'StorageHost=localhost',
  'StorageUser=root',
  'StorageLoc=slurm',
  '',
].join('\n');

export const gresConf = ({ gpus }: ClusterShape): string =>
  gpus === 0 ? '' : `Name=gpu Type=${gpuType} File=${gpuFile(gpus === 1 ? 0 : `[0-${gpus - 1}]`)}\n`;
