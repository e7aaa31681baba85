/** What belongs to a lab's tunnel on a node: one WireGuard interface, its key, and where they lie. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { trainingNodes, type LabDocument } from '../../../../shared/lab/lab.ts';

/** Root's; the private keys in it are root's alone. */
export const tunnelFolder = '/etc/ringlab/wireguard';
export const interfacePrefix = 'rlwg';

/** Of one data folder, lab and node: wireguard-go's sockets of all namespaces of a machine lie in one folder. */
export function interfaceName(owner: string, labId: string, nodeId: string): string {
  const tag = createHash('sha256').update(`${owner} ${labId} ${nodeId}`).digest('hex').slice(0, 10);
  return `${interfacePrefix}${tag}`;
}

/** Curve25519, 32 bytes in base64: the last digit has four bits. Zero is no key. */
export const PublicKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/)
  .refine((key) => !key.startsWith('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'));
export type PublicKey = z.infer<typeof PublicKey>;

/** The lab asks for it, and there is somebody to exchange gradients with. */
export const wantsTunnel = (lab: LabDocument): boolean =>
  lab.experiment.encrypt === true && trainingNodes(lab).length > 1;
