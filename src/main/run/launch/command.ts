/** Builds the exact command of every rank from a lab and its ready nodes. Pure. */
import {
  defaultRestartsPerHour,
  isSplit,
  type Experiment,
  type LabDocument,
  type OnLostRank,
} from '../../../shared/lab/lab.ts';
import { allocated, portWord } from '../../base/allocated.ts';
import { allowedCpus } from '../../../shared/node/hardware.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { lostRankPolicy } from '../../../shared/lab/lost-rank.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { runFolder } from '../../base/node-layout.ts';
import { settingArguments, settingsOf, shareOfBatch } from '../../../shared/settings/index.ts';
import type { ReadyLab, ReadyNode } from '../../provision/index.ts';
import { peerTimeout } from './peer-timeout.ts';

export interface PlannedRank {
  readonly rank: number;
  readonly localRank: number;
  readonly ready: ReadyNode;
}

/** A checkpoint to resume from; `fresh`: also where rank states are missing, which then start from zero. */
export interface ResumePoint {
  readonly path: string;
  readonly fresh: boolean;
}

/** What differs between two starts of the same run. */
export interface StartDetails {
  readonly resume?: ResumePoint | undefined;
  /** Name of the file in each rank's folder that holds the run's secret (`run-secret.ts`). */
  readonly secretFile?: string | undefined;
  /** Seconds between checkpoints within an epoch, where the experiment does not say. */
  readonly checkpointEvery?: number | undefined;
  /** A supervisor on the node starts the rank, and starts it again after a failure (native/PROTOCOL.md, 'Supervisors'). */
  readonly supervised?: boolean | undefined;
}

export interface RankCommand {
  readonly argv: string[];
  readonly env: Record<string, string>;
}

/** The nodes in the order of the run's ranks, if it has decided one. */
export function inRankOrder(ready: ReadyLab, order: readonly string[] | undefined): ReadyLab {
  if (order === undefined) return ready;
  const placeOf = ({ node }: ReadyNode): number => {
    const place = order.indexOf(node.id);
    return place < 0 ? order.length : place;
  };
  return { ...ready, nodes: [...ready.nodes].sort((a, b) => placeOf(a) - placeOf(b)) };
}

/** Ranks in the order of their nodes; the ranks of a node are consecutive. */
export function planRanks(ready: ReadyLab): PlannedRank[] {
  return ready.nodes
    .flatMap((node) => Array.from({ length: node.processes }, (_, localRank) => ({ localRank, ready: node })))
    .map((place, rank) => ({ rank, ...place }));
}

/**
 * Cores for each rank where several (local) nodes are the same machine: at least 1. Those that a container may use are for
 * the ranks in it alone.
 */
export function threadsPerRank({ nodes }: ReadyLab, { facts }: ReadyNode): number {
  const ranksAt = (isHere: (other: NodeFacts) => boolean): number =>
    Math.max(
      1,
      nodes.filter((other) => isHere(other.facts)).reduce((sum, { processes }) => sum + processes, 0),
    );
  const onMachine = ({ bootId }: NodeFacts): boolean => bootId === facts.bootId;
  const inside = (other: NodeFacts): boolean => onMachine(other) && other.hostname === facts.hostname;
  const threads = Math.min(facts.cpus / ranksAt(onMachine), allowedCpus(facts) / ranksAt(inside));
  return Math.max(1, Math.floor(threads));
}

export const rankFolderOnNode = (home: string, runId: string, rank: number): string =>
  `${runFolder(home, runId)}/rank-${rank}`;

/**
 * Where a lab leaves it open, NCCL if it works on every node and no two ranks share a GPU, which it refuses: nodes on
 * the same machine share its GPUs.
 */
function backendFor({ experiment }: LabDocument, { nodes }: ReadyLab): Experiment['backend'] {
  if (experiment.backend !== 'auto') return experiment.backend;
  // What is under way in NCCL cannot be ended when a rank is lost.
  if (experiment.onLostRank === 'continue') return 'gloo';
  const machines = new Set(nodes.map(({ facts }) => facts.bootId));
  const ownGpus = nodes.every(({ facts, processes }) => processes <= facts.gpus.length);
  return ownGpus && machines.size === nodes.length && nodes.every(({ backend }) => backend === 'nccl')
    ? 'nccl'
    : 'gloo';
}

/**
 * The lab with what happens when a rank is lost: as it says, or the default, which the nodes decide, too. A run that has lost a rank goes
 * on as before: any rank may have its newest checkpoint, and only ranks that go on look for it in all their folders.
 * @param run with what its last start decided
 */
export function withLostRankPolicy(
  { lab, onLostRank: before, recovery }: Pick<RunRecord, 'lab' | 'onLostRank' | 'recovery'>,
  ready: ReadyLab,
): LabDocument {
  const keeps = before === 'continue' && recovery !== undefined;
  const decided = (): OnLostRank =>
    lostRankPolicy(lab.experiment, { backend: backendFor(lab, ready), ranks: planRanks(ready).length });
  const onLostRank = lab.experiment.onLostRank ?? (keeps ? before : decided());
  return { ...lab, experiment: { ...lab.experiment, onLostRank } };
}

/**
 * What the ranks that are left do when one is lost; undefined: they end. Before a restart they save what they have,
 * where the trainer can end what is under way between them.
 */
function onLostRank(
  { experiment }: LabDocument,
  backend: Experiment['backend'],
  supervised: boolean,
): 'continue' | 'save' | undefined {
  if (experiment.onLostRank === 'continue') return 'continue';
  const canSave = backend === 'gloo' && !isSplit(experiment.data);
  return experiment.onLostRank === 'restart' && supervised && canSave ? 'save' : undefined;
}

/**
 * Low priority (nice) for a rank on this computer, so that the window stays responsive; training still gets nearly
 * all of the CPU.
 */
export const politeness = ({ node }: ReadyNode): string[] =>
  node.access.type === 'local' ? ['nice', '-n', '5'] : [];

/** Addresses that rank 0 accepts: those found by the network step. */
const addressesOf = ({ nodes, master }: ReadyLab): string =>
  master.host === allocated.host
    ? allocated.peers
    : [...new Set([master.host, ...nodes.map(({ address }) => address)])].join(',');

/**
 * The command that starts one rank (native/PROTOCOL.md); its working directory is the rank's folder.
 * @param start every rank gets the path of the checkpoint; only rank 0 reads it
 */
export function rankCommand(
  lab: LabDocument,
  ready: ReadyLab,
  rank: number,
  worldSize: number,
  { resume, secretFile, checkpointEvery, supervised = false }: StartDetails = {},
): RankCommand {
  const place = planRanks(ready)[rank];
  if (place === undefined) throw new RangeError(`no rank ${rank} among ${worldSize}`);
  const { experiment } = lab;
  const node = place.ready;
  const threads = threadsPerRank(ready, node);
  const host = ready.master.host.includes(':') ? `[${ready.master.host}]` : ready.master.host;
  const settings = {
    ...settingsOf(experiment),
    batchSize: shareOfBatch(experiment.batchSize, worldSize, experiment.accumulate),
    backend: backendFor(lab, ready),
    ...(experiment.checkpointEvery === undefined && checkpointEvery !== undefined ? { checkpointEvery } : {}),
  };
  const options: (readonly [string, string | number])[] = [
    ['--world-size', worldSize],
    ['--rank', rank],
    ['--local-rank', place.localRank],
    ['--dist-url', `tcp://${host}:${portWord(ready.master)}`],
    ['--address', node.address],
    ...(secretFile === undefined || worldSize === 1 ? [] : [['--secret-file', secretFile] as const]),
    ...(rank === 0 && worldSize > 1 ? [['--peers', addressesOf(ready)] as const] : []),
    ['--threads', threads],
    ['--metrics', 'metrics.jsonl'],
  ];
  const flags: string[] = resume?.fresh === true ? ['--fresh-rank-state'] : [];
  const nodeIds = ready.nodes.map((one) => one.node.id);
  const heard = rank === 0 ? nodeIds : [node.node.id];
  const silence = worldSize > 1 ? peerTimeout(lab, heard, nodeIds[0] ?? '') : undefined;
  const onLost = worldSize > 1 ? onLostRank(lab, settings.backend, supervised) : undefined;
  if (onLost !== undefined) options.push(['--on-lost-rank', onLost]);
  if (onLost === 'continue' && experiment.keepGlobalBatch === true) flags.push('--keep-global-batch');
  if (silence !== undefined) options.push(['--peer-timeout', silence]);
  if (isSplit(experiment.data)) flags.push('--sharded-data');
  if (experiment.data.size !== undefined) options.push(['--image-size', experiment.data.size]);
  if (resume !== undefined) options.push(['--resume', resume.path]);
  return {
    argv: [
      ...politeness(node),
      node.trainer,
      ...(supervised ? supervision(lab) : []),
      ...settingArguments(settings),
      ...options.flatMap(([name, value]) => [name, String(value)]),
      ...flags,
      node.data,
    ],
    env: { ...node.environment, ...ncclInterface(lab, node), OMP_NUM_THREADS: String(threads) },
  };
}

const supervision = ({ experiment }: LabDocument): string[] => [
  'supervise',
  '--restarts-per-hour',
  String(experiment.restartsPerHour ?? defaultRestartsPerHour),
  '--',
];

/**
 * Gloo takes an address; NCCL takes an interface, by default one of its own choice. `=`: exactly this name, not all
 * that begin with it. Empty where no interface has the address: in an emulated network it is an alias of the
 * loopback. Through a tunnel NCCL must use sockets, whatever the backend: an own script chooses it by itself, and
 * over InfiniBand, RoCE or a net plugin NCCL sends its data around the tunnel, not encrypted.
 */
export function ncclInterface(
  lab: LabDocument,
  { address, facts, interface: own }: ReadyNode,
): Record<string, string> {
  if (own !== undefined) return { NCCL_SOCKET_IFNAME: `=${own}`, NCCL_NET: 'Socket', NCCL_IB_DISABLE: '1' };
  const found = facts.addresses.find((one) => one.address === address)?.interface;
  return lab.experiment.backend === 'gloo' || found === undefined || found === 'lo'
    ? {}
    : { NCCL_SOCKET_IFNAME: `=${found}` };
}

/** The command that samples a node while its ranks run; its working directory is beside the ranks' folders. */
export function monitorCommand(ready: ReadyNode, ranks: readonly number[]): RankCommand {
  return {
    argv: [
      ready.trainer,
      'monitor',
      '--metrics',
      'metrics.jsonl',
      '--interval',
      '1',
      ...ranks.flatMap((rank) => ['--watch-pid-file', `../rank-${rank}/pid`]),
      '--disk',
      '.',
    ],
    env: { ...ready.environment },
  };
}
