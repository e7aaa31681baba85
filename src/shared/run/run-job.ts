/** The job of a cluster's scheduler that a run's ranks are part of. */
import * as z from 'zod';

export const RunJob = z.object({
  /** As the scheduler numbers it. */
  id: z.string().min(1).max(64),
  /** The scheduler's own word: `PENDING`, `RUNNING`. */
  state: z.string().max(40),
  /** Whether its ranks have yet to start. */
  waits: z.boolean(),
  /** Why it waits, in the scheduler's word, with what it says after a colon: `Resources`, `Unschedulable: 0/3 nodes …`. */
  reason: z.string().max(1000).optional(),
  /** When it is expected to start, in Unix seconds, if the scheduler has planned it. */
  expectedStart: z.number().optional(),
  /** The nodes that it has: `node[1-3]`. */
  nodes: z.string().max(1000).optional(),
});
export type RunJob = z.infer<typeof RunJob>;
