/** How hot each rank's own GPUs are, for the explanation of slow steps. Pure. */
import type { RankRecord } from '../../../shared/run/run.ts';
import { gpusOfRank, type NodeSamples } from '../../nodes/index.ts';
import type { RankHeat } from './why-slow.ts';

/** By rank: the hottest of its GPUs, in the newest sample of its node. @param samples by node id */
export function heatOf(
  ranks: readonly Pick<RankRecord, 'rank' | 'nodeId' | 'localRank'>[],
  samples: ReadonlyMap<string, NodeSamples>,
): Map<number, RankHeat> {
  const heat = new Map<number, RankHeat>();
  const together = Map.groupBy(ranks, ({ nodeId }) => nodeId);
  for (const { rank, nodeId } of ranks) {
    const node = samples.get(nodeId);
    if (node === undefined) continue;
    const gpus = gpusOfRank(rank, together.get(nodeId) ?? [], node);
    const hottest = gpus.toSorted((a, b) => (b.celsius ?? 0) - (a.celsius ?? 0))[0];
    if (hottest === undefined) continue;
    heat.set(rank, { model: hottest.name, celsius: hottest.celsius, megahertz: hottest.megahertz });
  }
  return heat;
}
