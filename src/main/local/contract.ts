/** Connects services to a drawn node, local or not, always over SSH. `index.ts` re-exports it. */
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { ConnectionState } from '../../shared/node/provision.ts';
import type { KubernetesCluster } from '../kubernetes/index.ts';
import type { SshSession, SshTarget } from '../ssh/index.ts';

export interface Reach {
  /** The live session to a node of a lab; starts a local node's SSH server, or a cluster's access pod, first. */
  session(lab: LabDocument, nodeId: string, signal?: AbortSignal): Promise<SshSession>;
  /** The current address and login of a node. */
  target(lab: LabDocument, nodeId: string): Promise<SshTarget>;
  /** A Kubernetes cluster's API. */
  cluster(target: KubernetesTarget): KubernetesCluster;
  /** The connection states of a lab. */
  connections(labId: string): ConnectionState[];
  /** Closes sessions and local servers. Detached processes on local nodes continue. */
  close(): Promise<void>;
}
