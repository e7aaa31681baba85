/** What of a run is followed through which session: a node's own, or the one that serves all nodes of a cluster. Pure. */
import { sessionNodeId } from '../../../shared/lab/reached.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { monitorOrder, rankOrder, ranksByNode } from '../launch/orders.ts';
import type { FollowedProcess } from './node-reader.ts';

/** By the id of the node whose session it is: all ranks, and each node's monitor. */
export function followedBySession(run: RunRecord): Map<string, FollowedProcess[]> {
  const sessions = new Map<string, FollowedProcess[]>();
  for (const [nodeId, ranks] of ranksByNode(run)) {
    const [first] = ranks;
    if (first === undefined) continue;
    const session = sessionNodeId(run.lab, nodeId);
    const processes = sessions.get(session) ?? [];
    sessions.set(session, processes);
    for (const rank of ranks) processes.push({ rank: rank.rank, order: rankOrder(run, rank) });
    processes.push({ rank: undefined, order: monitorOrder(run, first) });
  }
  return sessions;
}

/** The nodes of the run's ranks that are followed through this node's session. */
export const nodesOfSession = (run: RunRecord, nodeId: string): string[] =>
  [...ranksByNode(run).keys()].filter((id) => sessionNodeId(run.lab, id) === nodeId);
