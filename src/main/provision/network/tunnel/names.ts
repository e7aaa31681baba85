/** Names and paths of a lab's tunnel on a node: one WireGuard interface and its key. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { trainingNodes, type LabDocument } from '../../../../shared/lab/lab.ts';

/** Owned by root; only root can read the private keys in it. */
export const tunnelFolder = '/etc/ringlab/wireguard';
export const interfacePrefix = 'rlwg';

/**
 * Unique for a data folder, lab and node: the sockets of wireguard-go in all namespaces of a machine share one
 * folder.
 */
export function interfaceName(owner: string, labId: string, nodeId: string): string {
  const tag = createHash('sha256').update(`${owner} ${labId} ${nodeId}`).digest('hex').slice(0, 10);
  return `${interfacePrefix}${tag}`;
}

/** Curve25519, 32 bytes in base64: the last digit has four bits. All zeros is invalid. */
export const PublicKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/)
  .refine((key) => !key.startsWith('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'));
export type PublicKey = z.infer<typeof PublicKey>;

/** Whether the lab is encrypted and has more than one machine to connect. */
export const wantsTunnel = (lab: LabDocument): boolean =>
  lab.experiment.encrypt === true && trainingNodes(lab).length > 1;
