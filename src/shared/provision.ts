/** What is known of a node and how far it is from being ready. */
import { z } from 'zod';
import { WireError } from './errors.ts';

export const Gpu = z.object({
  index: z.number().int(),
  name: z.string(),
  memoryBytes: z.number().optional(),
  pciId: z.string().optional(),
});

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
});
export type NodeFacts = z.infer<typeof NodeFacts>;

/** In this order; `driver` and `conda` have their place but no implementation yet. */
export const stepIds = ['reach', 'facts', 'libraries', 'trainer', 'data', 'network'] as const;
export const StepId = z.enum(stepIds);
export type StepId = z.infer<typeof StepId>;

export const StepState = z.enum([
  'waiting',
  'checking',
  'applying',
  'verifying',
  'done',
  'failed',
  'cancelled',
]);
export type StepState = z.infer<typeof StepState>;

export const StepRecord = z.object({
  id: StepId,
  state: StepState,
  /** True where nothing had to be done. */
  alreadyThere: z.boolean(),
  /** One line of plain facts ('libtorch 1.13.1'), the same in every language. */
  summary: z.string(),
  /** Every command and what it printed; bounded, oldest lines dropped. */
  log: z.array(z.string()),
  droppedLogLines: z.number().int().nonnegative(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  progress: z
    .object({ done: z.number(), total: z.number(), unit: z.enum(['bytes', 'files', 'steps']) })
    .optional(),
  error: WireError.optional(),
});
export type StepRecord = z.infer<typeof StepRecord>;

export const NodeReadiness = z.object({
  labId: z.string(),
  nodeId: z.string(),
  state: z.enum(['unknown', 'preparing', 'ready', 'failed', 'cancelled']),
  steps: z.array(StepRecord),
  facts: NodeFacts.optional(),
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
