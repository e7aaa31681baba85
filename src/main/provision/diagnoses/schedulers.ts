/** Failures that Slurm and Kubernetes report. */
import type { Diagnosis } from './diagnosis.ts';

export const schedulerDiagnoses: readonly Diagnosis[] = [
  {
    code: 'kubernetes.quota',
    patterns: [/\bexceeded quota\b/],
  },
  {
    code: 'scheduler.refused',
    patterns: [
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
    code: 'scheduler.node_failed',
    patterns: [/DUE TO NODE FAILURE/, /srun: error: Node failure on (?<node>\S+)/],
  },
  {
    code: 'kubernetes.unschedulable',
    patterns: [/\d+\/\d+ nodes are available: (?<reason>.+)/, /\bFailedScheduling\b/],
  },
  {
    code: 'scheduler.cancelled',
    patterns: [
      /CANCELLED AT \S+ (?:DUE TO TIME LIMIT|\*\*\*)/,
      /DUE TO TIME LIMIT/,
      /DUE TO PREEMPTION/,
      /\bCANCELLED AT\b/,
    ],
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
