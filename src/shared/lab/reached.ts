/** How a lab's nodes are reached: each by its own access or, on a cluster, all through its login node or a pod. Pure. */
import type { SshAccess } from './access.ts';
import type { KubernetesTarget } from './kubernetes.ts';
import type { LabDocument, LabNode } from './lab.ts';
import { clusterName, type ClusterTarget, type SlurmTarget } from './where.ts';

type Placed = Pick<LabDocument, 'nodes' | 'experiment'>;

/** The cluster that the lab's nodes train on; undefined on machines of their own. */
export const clusterOf = ({
  experiment: { where },
}: Pick<LabDocument, 'experiment'>): ClusterTarget | undefined =>
  where === undefined || where.type === 'machines' ? undefined : where;

export function slurmOf(lab: Pick<LabDocument, 'experiment'>): SlurmTarget | undefined {
  const cluster = clusterOf(lab);
  return cluster?.type === 'slurm' ? cluster : undefined;
}

export function kubernetesOf(lab: Pick<LabDocument, 'experiment'>): KubernetesTarget | undefined {
  const cluster = clusterOf(lab);
  return cluster?.type === 'kubernetes' ? cluster : undefined;
}

/**
 * Whether the lab's nodes have one folder, which one session serves: on a cluster but for a Kubernetes cluster without a claim,
 * whose pods are machines of their own.
 */
export function hasSharedFolder(lab: Pick<LabDocument, 'experiment'>): boolean {
  const cluster = clusterOf(lab);
  return cluster?.type === 'slurm' || cluster?.claim !== undefined;
}

/** The one machine of a cluster that commands run on; of Kubernetes a pod, which is reached through its API. */
const doorOf = (cluster: ClusterTarget): SshAccess =>
  cluster.type === 'slurm'
    ? cluster.login
    : {
        type: 'ssh',
        host: clusterName(cluster),
        port: 22,
        user: 'ringlab',
        authentication: { method: 'agent' },
      };

/**
 * The lab with each training node's access as it is used: on a cluster the login node's or the access pod's, which stands for
 * all of its machines. The drawn access stays in the document for when the lab returns to its machines.
 */
export function asReached<Lab extends Placed>(lab: Lab): Lab {
  const cluster = clusterOf(lab);
  if (cluster === undefined) return lab;
  const access = doorOf(cluster);
  const nodes = lab.nodes.map((node): LabNode => (node.kind === 'switch' ? node : { ...node, access }));
  return { ...lab, nodes };
}

/** The drawn node whose session serves this one: with a shared folder the first training node's serves all. */
export function sessionNodeId(lab: Placed, nodeId: string): string {
  if (!hasSharedFolder(lab)) return nodeId;
  return lab.nodes.find(({ kind }) => kind !== 'switch')?.id ?? nodeId;
}
