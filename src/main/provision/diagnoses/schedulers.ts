/** Failures that Slurm and Kubernetes report. */
import type { Diagnosis } from './diagnosis.ts';

export const schedulerDiagnoses: readonly Diagnosis[] = [
  {
    code: 'kubernetes.quota',
    patterns: [/\bexceeded quota\b/],
  },
  {
    code: 'scheduler.bad_script',
    patterns: [
      /This does not look like a batch script/,
      /Batch script (?:is empty|contains DOS line breaks|contains only whitespace)/,
    ],
  },
  {
    code: 'scheduler.gres',
    patterns: [
      /can't stat gres\.conf file (?<path>\S+?):/,
      /Waiting for gres\.conf file (?<path>\S+)/,
      /gres\/gpu count reported lower than configured/,
    ],
  },
  {
    code: 'scheduler.partition',
    patterns: [/invalid partition specified: ?(?<partition>\S+)/, /: Invalid partition name specified/],
  },
  {
    code: 'scheduler.account',
    patterns: [
      /Invalid account or account\/partition combination specified/,
      /Invalid qos specification/,
      /User's group not permitted to use this partition/,
    ],
  },
  {
    code: 'scheduler.size',
    patterns: [
      /Requested node configuration is not available/,
      /Memory specification can not be satisfied/,
      /CPU count per node can not be satisfied/,
      /Invalid generic resource \(gres\) specification/,
      /Requested time limit is invalid/,
    ],
  },
  {
    code: 'scheduler.time_limit',
    patterns: [/DUE TO TIME LIMIT/],
  },
  {
    code: 'scheduler.refused',
    followsFrom: ['scheduler.partition', 'scheduler.account', 'scheduler.size'],
    patterns: [
      /Job submit\/allocate failed: (?<reason>.+)/,
      /(?:sbatch|srun|salloc): (?:error|fatal): (?<reason>(?:Couldn't find the specified plugin|Unable to open file|Unrecognized option|Cannot|More processors|.*mutually exclusive|Memory specification).*)/,
      /slurm_\w+ error: (?<reason>Invalid .+|Unspecified error.*|Requested .+)/,
      /Batch job submission failed: (?<reason>.+)/,
      /(?:sbatch|srun|salloc): error: (?<reason>invalid (?:partition|account|qos|generic resource).*)/,
      /Unable to allocate resources: (?<reason>.+)/,
      /Job violates accounting\/QOS policy/,
      /Unable to create step for job \d+: (?<reason>.+)/,
    ],
  },
  {
    code: 'scheduler.unreachable',
    patterns: [
      /Socket timed out on send\/recv operation/,

      /resolve_ctls_from_dns_srv|DNS SRV lookup failed/,
      /Could not establish a configuration source/,

      /Unable to contact slurm controller/,
      /slurm_load_\w+ error: Unable to contact/,
      /Zero Bytes were transmitted or received/,
      /Munge (?:en|de)code failed/,
      /Unable to establish (?:controller|configuration) /,
    ],
    action: 'retry',
  },
  {
    code: 'scheduler.clock',
    patterns: [/\bJob credential expired\b/],
  },
  {
    code: 'scheduler.not_ending',
    patterns: [/DUE TO JOB NOT ENDING WITH SIGNALS/, /Timed out waiting for job step to complete/],
  },
  {
    code: 'scheduler.node_failed',
    patterns: [/DUE TO NODE FAILURE/, /srun: error: Node failure on (?<node>\S+)/],
  },
  {
    code: 'kubernetes.unschedulable',
    patterns: [/\d+\/\d+ nodes are available: (?<reason>.+)/, /\bFailedScheduling\b/],
  },
  {
    code: 'scheduler.cancelled',
    patterns: [/DUE TO PREEMPTION/, /\bCANCELLED AT\b(?!.*DUE TO TASK FAILURE)/],
    followsFrom: ['scheduler.time_limit', 'scheduler.node_failed', 'memory.killed'],
  },
  {
    code: 'kubernetes.forbidden',
    patterns: [/Error from server \(Forbidden\)/],
  },
  {
    code: 'kubernetes.volume',
    patterns: [
      /\bMountVolume\.\w+ failed\b/,
      /persistentvolumeclaim "(?<claim>[^"]+)" not found/,
      /\bFailedMount\b/,
    ],
  },
  {
    code: 'kubernetes.crash_loop',
    patterns: [/\bCrashLoopBackOff\b/, /Back-off restarting failed container/],
    followsFrom: 'any',
  },
];
