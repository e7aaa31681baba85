/** Numbers of metrics lines: where a node lost lines with its power that are stored here, a later attempt must not use their numbers again. */
import { monitorSource, rankSource, type Source } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Store } from '../../store/index.ts';
import type { LaunchOrder } from '../record/launcher.ts';
import { monitorOrder, rankOrder } from './orders.ts';

/** Returns what lets the processes of a run's next attempt count from what is stored (native/PROTOCOL.md, 'Metrics lines'). */
export async function lineNumbers(
  store: Pick<Store, 'lastSeq'>,
  run: RunRecord,
): Promise<(order: LaunchOrder) => LaunchOrder> {
  const sources = new Map<string, Source>();
  for (const rank of run.ranks) {
    sources.set(rankOrder(run, rank).directory, rankSource(rank.rank));
    sources.set(monitorOrder(run, rank).directory, monitorSource(rank.nodeId));
  }
  const entries = [...sources].map(
    async ([directory, source]) => [directory, await store.lastSeq(run.id, source)] as const,
  );
  const last = new Map(await Promise.all(entries));
  return (order) => {
    const seq = last.get(order.directory) ?? -1;
    return seq < 0 ? order : { ...order, env: { ...order.env, RINGLAB_FIRST_SEQ: String(seq + 1) } };
  };
}
