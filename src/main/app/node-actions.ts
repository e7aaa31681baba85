/** Actions on one node of a lab. */
import { join } from 'node:path';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { NodeReadiness } from '../../shared/node/provision.ts';
import { sshCommand } from '../local/index.ts';
import { removeUnusedWheels, type PrepareOptions, type Provisioner } from '../provision/index.ts';
import { mustBeFree } from '../run/index.ts';
import type { Services } from './services.ts';

export interface NodeActions {
  /** Restarts a local node's server; reboots a real node after the user's consent. */
  reboot(lab: LabDocument, nodeId: string, signal: AbortSignal): Promise<void>;
  /** Opens the node's home folder in the computer's file manager. */
  openFolder(lab: LabDocument, nodeId: string): Promise<void>;
  /** The command that connects to the node from a terminal. */
  sshCommand(lab: LabDocument, nodeId: string): Promise<string>;
  /** Removes all of Ringlab's files from the node; throws `node_in_use` where a run uses it. */
  remove(lab: LabDocument, nodeId: string, signal: AbortSignal): ReturnType<Provisioner['remove']>;
  forgetSecrets(lab: LabDocument, nodeId: string): Promise<void>;
  /** Resolves to each node's status, which has its errors; throws only where it is cancelled. */
  prepare(
    lab: LabDocument,
    options: PrepareOptions & { readonly signal: AbortSignal },
  ): Promise<NodeReadiness[]>;
}

export function createNodeActions({
  platform,
  reach,
  pool,
  provisioner,
  runs,
}: Pick<Services, 'platform' | 'reach' | 'pool' | 'provisioner' | 'runs'>): NodeActions {
  return {
    async reboot(lab, nodeId, signal) {
      if (lab.nodes.find((node) => node.id === nodeId)?.access.type === 'local') {
        await reach.forget(lab.id, nodeId);
        await reach.session(lab, nodeId, signal);
      } else await provisioner.reboot(lab, nodeId, signal);
    },
    async openFolder(lab, nodeId) {
      const { authentication, host, port, user } = await reach.target(lab, nodeId);
      const isLocal = authentication.method === 'app-key';
      const home = join(platform.paths.data, 'nodes', lab.id, nodeId, 'home');
      await platform.openPlace(isLocal ? home : `sftp://${encodeURIComponent(user)}@${host}:${port}/`);
    },
    sshCommand: async (lab, nodeId) => sshCommand(await reach.target(lab, nodeId), platform.paths.data),
    async remove(lab, nodeId, signal) {
      await mustBeFree(runs, lab.id, nodeId);
      const removal = await provisioner.remove(lab, nodeId, signal);
      const isLocal = lab.nodes.find((node) => node.id === nodeId)?.access.type === 'local';
      if (isLocal) await removeUnusedWheels(platform.paths.data);
      return removal;
    },
    forgetSecrets: async (lab, nodeId) => pool.forgetSecrets(await reach.target(lab, nodeId)),
    async prepare(lab, options) {
      await provisioner.prepare(lab, options).catch((error: unknown) => {
        if (options.signal.aborted) throw error;
      });
      return provisioner.status(lab);
    },
  };
}
