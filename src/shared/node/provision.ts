/** The state of a node and of its preparation. */
import * as z from 'zod';
import { Line, Phrase } from '../base/phrase.ts';
import { Diagnosed } from './diagnosis.ts';
import { WireError } from '../base/errors.ts';

const Gpu = z.object({
  index: z.number().int(),
  name: z.string(),
  memoryBytes: z.number().optional(),
  pciId: z.string().optional(),
  /** NVIDIA's compute capability: 7.5 of a T4; undefined where the driver does not say it. */
  capability: z.number().optional(),
});

export const NvidiaFacts = z.object({
  /** Whether `nvidia-smi` succeeds. */
  works: z.boolean(),
  /** The output of `nvidia-smi` where it fails. */
  said: z.string().optional(),
  /** The version of the loaded kernel module, where known. */
  loaded: z.string().optional(),
  nouveau: z.boolean(),
  secureBoot: z.boolean(),
  /** Whether the headers of the running kernel are installed, to build a module. */
  headers: z.boolean(),
  /** NVIDIA's sources in /usr/src, by the name and version that DKMS knows: `nvidia-current/535.183.01`. */
  sources: z.array(z.string()),
  /** The lines of `dkms status`. */
  dkms: z.array(z.string()),
  /** Installed driver packages, `name version`. */
  packages: z.array(z.string()),
  /**
   * The drivers of NVIDIA's own repository, where that is among the node's package sources: `cuda-drivers
   * 580.65.06-1 / nvidia-open 580.65.06-1`.
   */
  repository: z.string().optional(),
});
export type NvidiaFacts = z.infer<typeof NvidiaFacts>;

export const NodeFacts = z.object({
  /** Unix seconds. */
  at: z.number(),
  hostname: z.string(),
  user: z.string(),
  home: z.string(),
  shell: z.string(),
  system: z.object({ id: z.string(), version: z.string(), pretty: z.string() }),
  /** Whether its packages are Debian's, with apt; undefined in facts of earlier versions. */
  apt: z.boolean().optional(),
  kernel: z.string(),
  arch: z.string(),
  cpus: z.number().int(),
  cpuModel: z.string(),
  memoryBytes: z.number(),
  memoryFreeBytes: z.number(),
  diskBytes: z.number(),
  diskFreeBytes: z.number(),
  gpus: z.array(Gpu),
  driver: z.string().optional(),
  cuda: z.string().optional(),
  libtorch: z.string().optional(),
  compiler: z.string().optional(),
  cmake: z.string().optional(),
  ninja: z.boolean(),
  glibc: z.string().optional(),
  root: z.boolean(),
  sudo: z.enum(['none', 'passwordless', 'password']),
  addresses: z.array(z.object({ interface: z.string(), address: z.string() })),
  bootId: z.string(),
  /** The node's clock minus this computer's. */
  clockSkewSeconds: z.number(),
  /** Unix seconds on this computer's clock when the node was started; undefined where it does not say how long ago that is. */
  bootedAt: z.number().optional(),
  /** `none`, `kvm`, `docker`, …, as systemd names it. */
  virtualisation: z.string().optional(),
  /** The instruction sets that matter for training. */
  cpuFlags: z.array(z.string()).optional(),
  /** Limits of a container or a cgroup slice, where they are lower than the machine's. */
  limits: z.object({ cpus: z.number().optional(), memoryBytes: z.number().optional() }).optional(),
  /** The state of NVIDIA's driver, on a node with an NVIDIA GPU. */
  nvidia: NvidiaFacts.optional(),
  /** Processes that use its GPUs, with their users. */
  gpuProcesses: z
    .array(z.object({ pid: z.number().int(), user: z.string(), memoryBytes: z.number() }))
    .optional(),
  /** Download addresses and whether the node reaches them directly, where that was tried. */
  internet: z.array(z.object({ address: z.string(), reached: z.boolean() })).optional(),
  /** The name of a package manager that is running. */
  packageManager: z.string().optional(),
});
export type NodeFacts = z.infer<typeof NodeFacts>;

/** The steps of preparation, in order; each has its row in the node's list. */
export const stepIds = [
  'reach',
  'facts',
  'driver',
  'libraries',
  'trainer',
  'verify',
  'data',
  'tunnel',
  'network',
] as const;
export const StepId = z.enum(stepIds);
export type StepId = z.infer<typeof StepId>;
/**
 * Steps that are shown in another step's row: actions outside preparation (reboot, lock, bundle), and what an own script (code,
 * python, program, compile) or a cluster (cluster) needs in its place.
 */
export const OtherStepId = z.enum([
  'reboot',
  'lock',
  'bundle',
  'code',
  'python',
  'program',
  'compile',
  'cluster',
]);
export type OtherStepId = z.infer<typeof OtherStepId>;

const StepState = z.enum(['waiting', 'checking', 'applying', 'verifying', 'done', 'failed', 'cancelled']);
type StepState = z.infer<typeof StepState>;

export const StepRecord = z.object({
  /** The row in which it is shown. */
  id: StepId,
  /** The step shown in this row, where it is not the row's own. */
  instead: OtherStepId.optional(),
  state: StepState,
  /** True where nothing had to be changed. */
  alreadyThere: z.boolean(),
  /** One line of plain facts ('libtorch 1.13.1'), empty until there are some. */
  summary: Phrase,
  /** Every command and its output, with sentences of ours; bounded, the oldest lines are dropped. */
  log: z.array(Line),
  droppedLogLines: z.number().int().nonnegative(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  progress: z
    .object({ done: z.number(), total: z.number(), unit: z.enum(['bytes', 'files', 'steps']) })
    .optional(),
  error: WireError.optional(),
  /** Known failures recognised in the step's output, the most likely first. */
  diagnoses: z.array(Diagnosed).max(5).optional(),
});
export type StepRecord = z.infer<typeof StepRecord>;

/** The result of a dry run for one step. */
export const PlannedStep = z.object({
  id: StepId,
  instead: OtherStepId.optional(),
  /** `done`: nothing to do. `blocked`: would fail now, or needs the result of an earlier step. */
  state: z.enum(['done', 'change', 'blocked']),
  summary: Phrase,
  /**
   * `command` is exactly what is run; empty where it depends on what `what` describes; a phrase where it is no shell's (an upload),
   * or where words stand for what is known later.
   */
  changes: z.array(z.object({ what: Phrase, command: Line })),
  error: WireError.optional(),
});
export type PlannedStep = z.infer<typeof PlannedStep>;
export const NodePlan = z.object({ nodeId: z.string(), nodeName: z.string(), steps: z.array(PlannedStep) });
export type NodePlan = z.infer<typeof NodePlan>;

/** The action that a dry run describes: `locking` is `ringlab lock`. */
export const PlanOf = z.enum(['preparing', 'locking']);
export type PlanOf = z.infer<typeof PlanOf>;

/** The traffic of a node through this computer's internet connection since it was last prepared. */
export const Lent = z.object({
  /** A command of the node is using it now. */
  open: z.boolean(),
  sent: z.number().nonnegative(),
  received: z.number().nonnegative(),
});
export type Lent = z.infer<typeof Lent>;

export const NodeReadiness = z.object({
  labId: z.string(),
  nodeId: z.string(),
  state: z.enum(['unknown', 'preparing', 'ready', 'failed', 'cancelled']),
  steps: z.array(StepRecord),
  facts: NodeFacts.optional(),
  lent: Lent.optional(),
});
export type NodeReadiness = z.infer<typeof NodeReadiness>;

export const ConnectionState = z.object({
  labId: z.string(),
  nodeId: z.string(),
  state: z.enum(['idle', 'connecting', 'connected', 'unreachable', 'refused']),
  /** Unix seconds. */
  since: z.number(),
  retryAt: z.number().optional(),
  error: WireError.optional(),
});
export type ConnectionState = z.infer<typeof ConnectionState>;
