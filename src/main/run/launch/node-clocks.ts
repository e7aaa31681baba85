/** The nodes' clocks as a preparation found them: what dates a run's lines, and for its record how far the nodes' own are off. */
import { clockSeen, onOurClock, type LineClock, type NodeClock } from '../../../shared/node/node-clock.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { hasSharedFolder } from '../../../shared/lab/reached.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { ReadyLab, ReadyNode } from '../../provision/index.ts';
import type { LaunchOrder } from '../record/launcher.ts';

/** Undefined where that is not known: on a cluster the facts are those of another machine than the one that a rank gets. */
function lineClock(lab: LabDocument, { facts }: ReadyNode): LineClock | undefined {
  const { bootedAt, bootId } = facts;
  return bootedAt === undefined || bootId === '' || hasSharedFolder(lab) ? undefined : { bootedAt, bootId };
}

/** Lets processes on the nodes date their lines by this computer's clock. */
export function withLineClock(
  lab: LabDocument,
  nodes: ReadyLab['nodes'],
): (order: LaunchOrder) => LaunchOrder {
  const clocks = new Map(nodes.map((ready) => [ready.node.id, lineClock(lab, ready)]));
  return (order) => ({ ...order, clock: clocks.get(order.nodeId) });
}

/** How far lines' times are ahead, by node: not at all where they are dated by this computer's clock. `now`: Unix seconds. */
export const clocksOf = (
  run: RunRecord,
  nodes: ReadyLab['nodes'],
  now: number,
): Record<string, NodeClock[]> => ({
  ...run.clocks,
  ...Object.fromEntries(
    nodes.map((ready) => {
      const { node, facts } = ready;
      const ahead = lineClock(run.lab, ready) === undefined ? facts.clockSkewSeconds : 0;
      return [node.id, clockSeen(run.clocks?.[node.id], now, ahead)];
    }),
  ),
});

/** When a rank ended, by what its node says: between the run's start and now, even if a clock was set meanwhile. */
export function endedAt(run: RunRecord, nodeId: string, t: number, now: number): number {
  const ours = onOurClock(run.clocks?.[nodeId], t);
  return Math.min(now, Math.max(run.startedAt ?? run.createdAt, ours));
}
