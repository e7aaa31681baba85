/** Checks the free disk space before ranks are started: a disk that fills up during an epoch loses the epoch. */
import { ringlabFolder } from '../../base/node-layout.ts';
import { findArchitecture } from '../../../shared/lab/architectures.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { hasSharedFolder } from '../../../shared/lab/reached.ts';
import { settingsOf } from '../../../shared/settings/index.ts';
import type { ReadyNode } from '../../provision/index.ts';
import { localFreeBytes, type FreeBytes, type SshSession } from '../../ssh/index.ts';
import { freeBytes } from '../../transfer/index.ts';

/** A rank's log and metrics, and the monitor's lines. */
const logBytes = 64 * 1024 ** 2;
/** Each parameter and its momentum, as 32-bit floats. */
const bytesPerParameter = 8;
/** The newest checkpoint, the best model, and a temporary file that replaces one of them. */
const copies = 3;
/** An epoch's kept checkpoint is a separate file, not a hard link to the newest. */
const keptCopies = ({ experiment }: LabDocument): number => (settingsOf(experiment).keepEvery === 0 ? 0 : 1);
/** Local copy for each rank: its lines, and the beginning of its log. */
const keptBytes = 16 * 1024 ** 2;
const patienceMs = 10_000;

/** An estimate; 0 for an unknown architecture, and for an own script, of which nothing is known. */
export const checkpointBytes = ({ experiment }: LabDocument): number =>
  experiment.script === undefined
    ? (findArchitecture(experiment.architecture)?.parameters ?? 0) * bytesPerParameter
    : 0;

/**
 * Bytes of a node's next write during a run. Rank 0's node stores the checkpoints: one temporary file, plus a kept
 * one.
 */
export const nextBytes = (lab: LabDocument, isFirst: boolean): number =>
  logBytes / 2 + (isFirst ? (1 + keptCopies(lab)) * checkpointBytes(lab) : 0);

/**
 * A ready node with its current free space: its facts are older than the installed software and data, and are used
 * only where the node gives no answer.
 */
export async function withFreeSpace(
  ready: ReadyNode,
  session: () => Promise<Pick<SshSession, 'exec'>>,
  signal: AbortSignal,
): Promise<ReadyNode> {
  try {
    const { exec } = await session();
    const node = {
      exec: (script: string): ReturnType<typeof exec> =>
        exec(script, { signal, brief: true, timeoutMs: patienceMs }),
    };
    const diskFreeBytes = await freeBytes(node, ringlabFolder(ready.facts.home));
    return { ...ready, facts: { ...ready.facts, diskFreeBytes } };
  } catch {
    signal.throwIfAborted();
    return ready;
  }
}

/** @throws node_disk_full. Local nodes share this computer's disk, and a cluster's a home folder: their needs add up. */
export function checkDiskOf(nodes: readonly ReadyNode[], lab: LabDocument): void {
  const isShared = hasSharedFolder(lab);
  let shared = 0;
  for (const [index, { node, facts, processes }] of nodes.entries()) {
    let needed = processes * logBytes + (index === 0 ? (copies + keptCopies(lab)) * checkpointBytes(lab) : 0);
    if (isShared || node.access.type === 'local') needed = shared += needed;
    if (facts.diskFreeBytes < needed)
      throw new RinglabError(
        'node_disk_full',
        { path: ringlabFolder(facts.home), needed, free: facts.diskFreeBytes },
        { where: node.name },
      );
  }
}

/**
 * Free space on this computer for its copy of a run: lines, logs, and the checkpoints that it downloads at the end.
 * @param path the run's local folder
 * @param fetchBytes the largest checkpoint that is downloaded automatically
 * @throws local_disk_low
 */
export async function checkOwnDisk(
  path: string,
  nodes: readonly Pick<ReadyNode, 'processes'>[],
  lab: LabDocument,
  fetchBytes: number,
  free: FreeBytes = localFreeBytes,
): Promise<void> {
  const ranks = nodes.reduce((sum, { processes }) => sum + processes, 0);
  const checkpoint = checkpointBytes(lab);
  // The best and the newest.
  const needed = ranks * keptBytes + (checkpoint <= fetchBytes ? 2 * checkpoint : 0);
  const there = await free(path);
  if (there < needed) throw new RinglabError('local_disk_low', { path, needed, free: there });
}
