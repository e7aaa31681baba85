/** How a lab's nodes are reached: each by its own access or, on a cluster, all through its login node. Pure. */
import type { LabDocument, LabNode } from './lab.ts';
import type { SlurmTarget } from './where.ts';

type Placed = Pick<LabDocument, 'nodes' | 'experiment'>;

/** The cluster that the lab's nodes train on; undefined on machines of their own. */
export const slurmOf = ({
  experiment: { where },
}: Pick<LabDocument, 'experiment'>): SlurmTarget | undefined => (where?.type === 'slurm' ? where : undefined);

/**
 * The lab with each training node's access as it is used: on a cluster the login node's, which stands for all of its
 * compute nodes. The drawn access stays in the document for when the lab returns to its machines.
 */
export function asReached<Lab extends Placed>(lab: Lab): Lab {
  const slurm = slurmOf(lab);
  if (slurm === undefined) return lab;
  const nodes = lab.nodes.map((node): LabNode =>
    node.kind === 'switch' ? node : { ...node, access: slurm.login },
  );
  return { ...lab, nodes };
}

/** The drawn node whose session serves this one: on a cluster the first training node's serves all. */
export function sessionNodeId(lab: Placed, nodeId: string): string {
  if (slurmOf(lab) === undefined) return nodeId;
  return lab.nodes.find(({ kind }) => kind !== 'switch')?.id ?? nodeId;
}
