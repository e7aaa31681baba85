/** From a lab and its ready nodes to the exact command of every rank. Pure. */
import { isSplit, type LabDocument } from '../../../shared/lab/lab.ts';
import { runFolder } from '../../base/node-layout.ts';
import { settingArguments, settingsOf } from '../../../shared/settings/index.ts';
import type { ReadyLab, ReadyNode } from '../../provision/index.ts';

export interface PlannedRank {
  readonly rank: number;
  readonly localRank: number;
  readonly ready: ReadyNode;
}

/** A checkpoint to go on from; `fresh`: also where ranks lack what was theirs, which they then start anew. */
export interface ResumePoint {
  readonly path: string;
  readonly fresh: boolean;
}

/** How a start differs from another start of the same run. */
export interface StartDetails {
  readonly resume?: ResumePoint | undefined;
  /** Name of the file in each rank's folder that holds the run's secret (`run-secret.ts`). */
  readonly secretFile?: string | undefined;
}

export interface RankCommand {
  readonly argv: string[];
  readonly env: Record<string, string>;
}

/** The nodes as a run has decided their ranks to stand; as they were where it has not. */
export function inRankOrder(ready: ReadyLab, order: readonly string[] | undefined): ReadyLab {
  if (order === undefined) return ready;
  const placeOf = ({ node }: ReadyNode): number => {
    const place = order.indexOf(node.id);
    return place < 0 ? order.length : place;
  };
  return { ...ready, nodes: [...ready.nodes].sort((a, b) => placeOf(a) - placeOf(b)) };
}

/** Ranks in the order of their nodes; a node's ranks are neighbours. */
export function planRanks(ready: ReadyLab): PlannedRank[] {
  return ready.nodes
    .flatMap((node) => Array.from({ length: node.processes }, (_, localRank) => ({ localRank, ready: node })))
    .map((place, rank) => ({ rank, ...place }));
}

/**
 * A rank's share of the global batch. All ranks have the same, as the trainer demands, since every rank's gradient
 * weighs the same in the mean: what does not divide is left out, as PyTorch's main.py does.
 * @param parts that a rank computes its share in, one after the other
 */
export const shareOfBatch = (batchSize: number, worldSize: number, parts = 1): number =>
  Math.max(1, Math.floor(batchSize / worldSize / parts));

/** Cores for each rank where several nodes, local ones, are one machine: at least 1. */
export function threadsPerRank(ready: ReadyLab, node: ReadyNode): number {
  const ranksOnMachine = ready.nodes
    .filter((other) => other.facts.bootId === node.facts.bootId)
    .reduce((sum, other) => sum + other.processes, 0);
  return Math.max(1, Math.floor(node.facts.cpus / Math.max(1, ranksOnMachine)));
}

export const rankFolderOnNode = (home: string, runId: string, rank: number): string =>
  `${runFolder(home, runId)}/rank-${rank}`;

/** NCCL where it works on every node and no GPU has two ranks, which it refuses: nodes that are one machine share its GPUs. */
function backendFor({ nodes }: ReadyLab): 'gloo' | 'nccl' {
  const machines = new Set(nodes.map(({ facts }) => facts.bootId));
  const ownGpus = nodes.every(({ facts, processes }) => processes <= facts.gpus.length);
  return ownGpus && machines.size === nodes.length && nodes.every(({ backend }) => backend === 'nccl')
    ? 'nccl'
    : 'gloo';
}

/** A silent peer may be back within the hour. One whose process ends is noticed at once all the same. */
const patientSeconds = 3600;

/** A rank on this computer shares it with the window: training takes what the window leaves, which is nearly all. */
const politeness = ({ node }: ReadyNode): string[] =>
  node.access.type === 'local' ? ['nice', '-n', '5'] : [];

/** What rank 0 lets connect: the addresses by which the network step found the nodes. */
const addressesOf = ({ nodes, master }: ReadyLab): string =>
  [...new Set([master.host, ...nodes.map(({ address }) => address)])].join(',');

/**
 * The command that starts one rank, as native/PROTOCOL.md has it; its working directory is the rank's folder.
 * @param start every rank gets what to resume; rank 0 alone reads the checkpoint
 */
export function rankCommand(
  lab: LabDocument,
  ready: ReadyLab,
  rank: number,
  worldSize: number,
  { resume, secretFile }: StartDetails = {},
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
    backend: experiment.backend === 'auto' ? backendFor(ready) : experiment.backend,
  };
  const options: (readonly [string, string | number])[] = [
    ['--world-size', worldSize],
    ['--rank', rank],
    ['--local-rank', place.localRank],
    ['--dist-url', `tcp://${host}:${ready.master.port}`],
    ['--address', node.address],
    ...(secretFile === undefined || worldSize === 1 ? [] : [['--secret-file', secretFile] as const]),
    ...(rank === 0 && worldSize > 1 ? [['--peers', addressesOf(ready)] as const] : []),
    ['--threads', threads],
    ['--metrics', 'metrics.jsonl'],
  ];
  const flags: string[] = resume?.fresh === true ? ['--fresh-rank-state'] : [];
  if (experiment.onLinkDown === 'wait') options.push(['--peer-timeout', patientSeconds]);
  if (isSplit(experiment.data)) flags.push('--sharded-data');
  if (experiment.data.size !== undefined) options.push(['--image-size', experiment.data.size]);
  if (resume !== undefined) options.push(['--resume', resume.path]);
  return {
    argv: [
      ...politeness(node),
      node.trainer,
      ...settingArguments(settings),
      ...options.flatMap(([name, value]) => [name, String(value)]),
      ...flags,
      node.data,
    ],
    env: { ...node.environment, ...ncclInterface(lab, node), OMP_NUM_THREADS: String(threads) },
  };
}

/**
 * Gloo takes an address; NCCL takes an interface, by itself one of its own choice. `=`: this name, not all that begin with it.
 * Nothing where the address is no interface's: in a drawn network it is an alias of the loopback.
 */
function ncclInterface(
  lab: LabDocument,
  { address, facts, interface: own }: ReadyNode,
): Record<string, string> {
  const found = own ?? facts.addresses.find((one) => one.address === address)?.interface;
  return lab.experiment.backend === 'gloo' || found === undefined || found === 'lo'
    ? {}
    : { NCCL_SOCKET_IFNAME: `=${found}` };
}

/** The command that samples a node while its ranks live; its working directory is the run's `monitor` folder. */
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
