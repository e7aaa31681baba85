/** A `sync_change` line: what a run that adapts to its links sends from then on, and why. Pure. */
import * as z from 'zod';
import type { MetricLine } from './metrics.ts';

const reasons = ['link_slower', 'link_faster', 'little_arrives', 'far_apart', 'loss_rises'] as const;

const SyncChange = z.object({
  /** Modes as in `--sync`. */
  from: z.string().max(100),
  to: z.string().max(100),
  why: z.enum(reasons),
});
export type SyncChange = z.infer<typeof SyncChange>;

/** Undefined where the node wrote something else, such as a reason of a later version. */
export const syncChangeOf = (line: MetricLine): SyncChange | undefined => SyncChange.safeParse(line).data;
