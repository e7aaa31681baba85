/** Room for what a run writes, asked before its ranks are started: a disk that fills in mid-epoch loses the epoch. */
import { findArchitecture } from '../../shared/architectures.ts';
import { RinglabError } from '../../shared/errors.ts';
import type { LabDocument } from '../../shared/lab.ts';
import type { ReadyNode } from '../provision/index.ts';

/** A rank's log and metrics, and the monitor's lines. */
const logBytes = 64 * 1024 ** 2;
/** Each number that learns and its momentum, as 32-bit floats. */
const bytesPerParameter = 8;
/** The newest checkpoint, the best model, and the one that is being written before it takes the place of the first. */
const copies = 3;

/** An estimate; an architecture that is not known here counts for nothing. */
export const checkpointBytes = ({ experiment }: LabDocument): number =>
  (findArchitecture(experiment.architecture)?.parameters ?? 0) * bytesPerParameter;

/** Where the data lie is looked at when they are sent; this is what comes on top. Rank 0's node keeps the checkpoints. */
export function checkDiskOf(nodes: readonly ReadyNode[], lab: LabDocument): void {
  for (const [index, { node, facts, processes }] of nodes.entries()) {
    const needed = processes * logBytes + (index === 0 ? copies * checkpointBytes(lab) : 0);
    if (facts.diskFreeBytes < needed)
      throw new RinglabError(
        'node_disk_full',
        { path: `${facts.home}/.ringlab`, needed, free: facts.diskFreeBytes },
        { where: node.name },
      );
  }
}
