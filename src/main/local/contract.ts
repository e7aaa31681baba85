/** How services reach a drawn node, local or not: there is one road, SSH. `index.ts` re-exports this. */
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { ConnectionState } from '../../shared/node/provision.ts';
import type { SshSession, SshTarget } from '../ssh/index.ts';

export interface Reach {
  /** The live session to a node of a lab; starts the app's own SSH server first where the node is local. */
  session(lab: LabDocument, nodeId: string, signal?: AbortSignal): Promise<SshSession>;
  /** The address and login a node has now. */
  target(lab: LabDocument, nodeId: string): Promise<SshTarget>;
  /** What is known of the connections of a lab. */
  connections(labId: string): ConnectionState[];
  /** Closes sessions and local servers. Processes that were started detached on local nodes go on. */
  close(): Promise<void>;
}
