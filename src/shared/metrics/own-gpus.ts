/** The GPUs of a node's sample that the run's ranks compute on. */
import { z } from 'zod';
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

const Pids = z.array(z.object({ pid: z.number() }));

/** The watched processes of a sample: the node's ranks that live. */
export function watchedPids(line: MetricLine): readonly number[] {
  const ranks = Pids.safeParse(line.processes);
  return ranks.success ? ranks.data.map(({ pid }) => pid) : [];
}

/** Other programs may use some of a machine's GPUs: all of them count only where no rank is seen on any. */
export function ownGpus(line: MetricLine): readonly Gpu[] {
  const gpus = Gpus.safeParse(line.gpus);
  if (!gpus.success) return [];
  const pids = new Set(watchedPids(line));
  const own = gpus.data.filter(({ processes }) => processes.some(({ pid }) => pids.has(pid)));
  return own.length > 0 ? own : gpus.data;
}
