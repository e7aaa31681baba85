/** Names of everything that the app creates in the kernel, and the mark that identifies its own namespaces. */
import { createHash } from 'node:crypto';

/** Prefix of every namespace; devices, whose names have at most 15 characters, begin with `rl`. */
export const namespacePrefix = 'ringlab-';
export const managementDevice = 'rlmgmt';
export const bridgeDevice = 'rlbr';

const short = (text: string, digits: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits);

/** Identifies a data folder, so that apps with different data folders do not touch each other's namespaces. */
export const ownerOf = (dataFolder: string): string => short(dataFolder, 8);

/** Identifies a lab of a data folder. */
export const labTag = (owner: string, labId: string): string => short(`${owner} ${labId}`, 8);
/** Node ids contain only letters, digits, `_` and `-`, which are safe in a file name. */
export const namespaceOf = (owner: string, labId: string, nodeId: string): string =>
  `${namespacePrefix}${labTag(owner, labId)}-${nodeId}`;
/** By the link's index in the document, from 0; the same at both ends. */
export const linkDevice = (index: number): string => `rl${index + 1}`;
/** The host's end of a node's management link. */
export const hostDevice = (owner: string, labId: string, index: number): string =>
  `rl${labTag(owner, labId).slice(0, 6)}m${index}`;

/**
 * Where the process listens that emulates links of this network; the network is known by its first namespace. Only root may enter the
 * folder.
 */
export const linkSocket = ({
  nodes: [first],
}: {
  readonly nodes: readonly { namespace: string }[];
}): string => `/run/ringlab/${first?.namespace ?? 'none'}.link`;

/** Stored as the alias of a namespace's `lo`: set last, so that a namespace without it is incomplete. */
export interface Mark {
  readonly owner: string;
  readonly labId: string;
  readonly nodeId: string;
  /** Hash of the structure that it was built for, without the links' shaping. */
  readonly structure: string;
  /** Its block of management addresses, -1 for none. */
  readonly block: number;
}
export const formatMark = ({ owner, labId, nodeId, structure, block }: Mark): string =>
  `ringlab ${owner} ${labId} ${nodeId} ${structure} ${block}`;

/** Undefined for anything that this app did not write. */
export function parseMark(alias: string): Mark | undefined {
  const [word, owner, labId, nodeId, structure, block, ...rest] = alias.split(' ');
  if (word !== 'ringlab' || rest.length > 0) return undefined;
  if (owner === undefined || labId === undefined || nodeId === undefined || structure === undefined)
    return undefined;
  const number = Number(block);
  return Number.isInteger(number) ? { owner, labId, nodeId, structure, block: number } : undefined;
}

export const structureHash = (structure: unknown): string => short(JSON.stringify(structure), 12);
