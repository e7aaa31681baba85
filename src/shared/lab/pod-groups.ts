/** What a cluster is asked for: one pod for each drawn node, in groups that are alike. Pure. */
import { drawnGpus, processesOn } from './lab-check.ts';
import { trainingNodes, type LabDocument, type LabNode } from './lab.ts';

export interface PodGroup {
  /** In the order of the ranks. */
  readonly nodes: readonly LabNode[];
  readonly firstRank: number;
  readonly ranksPerPod: number;
  readonly gpus: number;
}

const needsOf = (node: LabNode, ranks: number): string =>
  JSON.stringify([ranks, drawnGpus(node), node.placement.cpus, node.placement.memoryGb]);

/**
 * Nodes that follow each other and need the same are one group: one job.
 * @param order ids of the training nodes; undefined: as drawn
 */
export function podGroups(lab: LabDocument, order: readonly string[] | undefined): PodGroup[] {
  const drawn = trainingNodes(lab);
  const nodes =
    order === undefined ? drawn : drawn.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  const groups: PodGroup[] = [];
  let [rank, needs] = [0, ''];
  for (const node of nodes) {
    const ranksPerPod = processesOn(lab, node, drawnGpus(node));
    const last = groups.at(-1);
    if (last !== undefined && needsOf(node, ranksPerPod) === needs)
      groups[groups.length - 1] = { ...last, nodes: [...last.nodes, node] };
    else groups.push({ nodes: [node], firstRank: rank, ranksPerPod, gpus: drawnGpus(node) });
    needs = needsOf(node, ranksPerPod);
    rank += ranksPerPod;
  }
  return groups;
}
