/** The nodes' clocks as a preparation found them, for a run's record. */
import { clockSeen, type NodeClock } from '../../../shared/node/node-clock.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { ReadyLab } from '../../provision/index.ts';

/** By node; `now`: Unix seconds. */
export const clocksOf = (
  run: RunRecord,
  nodes: ReadyLab['nodes'],
  now: number,
): Record<string, NodeClock[]> => ({
  ...run.clocks,
  ...Object.fromEntries(
    nodes.map(({ node, facts }) => [node.id, clockSeen(run.clocks?.[node.id], now, facts.clockSkewSeconds)]),
  ),
});
