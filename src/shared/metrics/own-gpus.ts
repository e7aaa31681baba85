/** The GPUs of a node's sample that the run's ranks compute on. */
import * as z from 'zod';
import type { MetricLine } from './metrics.ts';

const Amount = z.number().optional().catch(undefined);
const Gpus = z.array(
  z.object({
    index: z.number(),
    utilization_percent: Amount,
    memory_used_bytes: Amount,
    temperature_celsius: Amount,
    processes: z.array(z.object({ pid: z.number() })).catch([]),
  }),
);
type Gpu = z.infer<typeof Gpus>[number];

/** Monitors of before this list was written have none. */
const Watched = z.array(z.object({ pid: z.number(), descendants: z.array(z.number()).catch([]) }));

const watchedOf = (line: MetricLine): z.infer<typeof Watched> => {
  const ranks = Watched.safeParse(line.processes);
  return ranks.success ? ranks.data : [];
};

/** The watched processes of a sample: the node's ranks that live. */
export const watchedPids = (line: MetricLine): readonly number[] => watchedOf(line).map(({ pid }) => pid);

/** Other programs may use some of a machine's GPUs: all of them count only where no rank is seen on any. */
export function ownGpus(line: MetricLine): readonly Gpu[] {
  const gpus = Gpus.safeParse(line.gpus);
  if (!gpus.success) return [];
  // An agent's or a supervisor's work is in its descendants.
  const pids = new Set(watchedOf(line).flatMap(({ pid, descendants }) => [pid, ...descendants]));
  const own = gpus.data.filter(({ processes }) => processes.some(({ pid }) => pids.has(pid)));
  return own.length > 0 ? own : gpus.data;
}
