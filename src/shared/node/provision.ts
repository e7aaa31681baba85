/** What is known of a node and how far it is from being ready. */
import { z } from 'zod';
import { Phrase } from '../base/phrase.ts';
import { Diagnosed } from './diagnosis.ts';
import { WireError } from '../base/errors.ts';

const Gpu = z.object({
  index: z.number().int(),
  name: z.string(),
  memoryBytes: z.number().optional(),
  pciId: z.string().optional(),
});

export const NvidiaFacts = z.object({
  /** `nvidia-smi` answers. */
  works: z.boolean(),
  /** What `nvidia-smi` says where it does not. */
  said: z.string().optional(),
  /** The kernel module is loaded; its version where it is known. */
  loaded: z.string().optional(),
  nouveau: z.boolean(),
  secureBoot: z.boolean(),
  /** The headers of the running kernel are there, so that a module can be built. */
  headers: z.boolean(),
  /** Versions whose sources lie in /usr/src for DKMS. */
  sources: z.array(z.string()),
  /** `dkms status`, a line each. */
  dkms: z.array(z.string()),
  /** Installed driver packages, `name version`. */
  packages: z.array(z.string()),
  /** The driver in NVIDIA's own repository where the node's package sources have that: `cuda-drivers 550.54.15-1`. */
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
  /** Node's clock minus ours. */
  clockSkewSeconds: z.number(),
  /** `none`, `kvm`, `docker`, …, as systemd names it. */
  virtualisation: z.string().optional(),
  /** Of the instruction sets that matter for training. */
  cpuFlags: z.array(z.string()).optional(),
  /** What a container or a slice allows, where it is less than the machine has. */
  limits: z.object({ cpus: z.number().optional(), memoryBytes: z.number().optional() }).optional(),
  /** What is known of NVIDIA's driver on a node with an NVIDIA GPU. */
  nvidia: NvidiaFacts.optional(),
  /** Processes that use its GPUs, and whose they are. */
  gpuProcesses: z
    .array(z.object({ pid: z.number().int(), user: z.string(), memoryBytes: z.number() }))
    .optional(),
  /** Where it would download from, and whether it reaches that by itself; known where it was tried. */
  internet: z.array(z.object({ address: z.string(), reached: z.boolean() })).optional(),
  /** A package manager is at work: its name. */
  packageManager: z.string().optional(),
});
export type NodeFacts = z.infer<typeof NodeFacts>;

/** The steps that make a node ready, in this order: each has its place in the node's list. */
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
/** What is done at other times, shown in the place of the step that it stands for. */
export const OtherStepId = z.enum(['reboot', 'lock', 'bundle']);
export type OtherStepId = z.infer<typeof OtherStepId>;

const StepState = z.enum(['waiting', 'checking', 'applying', 'verifying', 'done', 'failed', 'cancelled']);
type StepState = z.infer<typeof StepState>;

export const StepRecord = z.object({
  /** Its place. */
  id: StepId,
  /** What was done in this place, where it was not the step itself. */
  instead: OtherStepId.optional(),
  state: StepState,
  /** True where nothing had to be done. */
  alreadyThere: z.boolean(),
  /** One line of plain facts ('libtorch 1.13.1'), empty until there are some. */
  summary: Phrase,
  /** Every command and what it printed; bounded, oldest lines dropped. */
  log: z.array(z.string()),
  droppedLogLines: z.number().int().nonnegative(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  progress: z
    .object({ done: z.number(), total: z.number(), unit: z.enum(['bytes', 'files', 'steps']) })
    .optional(),
  error: WireError.optional(),
  /** Known failures recognised in what the step's tools printed, the likeliest first. */
  diagnoses: z.array(Diagnosed).max(5).optional(),
});
export type StepRecord = z.infer<typeof StepRecord>;

/** What a dry run says of one step. */
export const PlannedStep = z.object({
  id: StepId,
  instead: OtherStepId.optional(),
  /** `done`: nothing is to do. `blocked`: it would fail now, or needs what an earlier step has not done yet. */
  state: z.enum(['done', 'change', 'blocked']),
  summary: Phrase,
  /** `command` is what is run, word for word; empty where `what` says on what it depends. */
  changes: z.array(z.object({ what: Phrase, command: z.string() })),
  error: WireError.optional(),
});
export type PlannedStep = z.infer<typeof PlannedStep>;
export const NodePlan = z.object({ nodeId: z.string(), nodeName: z.string(), steps: z.array(PlannedStep) });
export type NodePlan = z.infer<typeof NodePlan>;

/** Of what a dry run is one: `locking` is `ringlab lock`. */
export const PlanOf = z.enum(['preparing', 'locking']);
export type PlanOf = z.infer<typeof PlanOf>;

/** What has crossed this computer's internet connection on behalf of a node, since it was last prepared. */
export const Lent = z.object({
  /** A command of the node uses it now. */
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
