/**
 * Builds the exact command of every process of an own script: a rank each, with the variables that torchrun gives it;
 * or PyTorch's own agent, one a node. Pure.
 */
import { posix } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runtimeOf, type LabDocument } from '../../../shared/lab/lab.ts';
import { networkOf } from '../../../shared/cost/flows.ts';
import { clusterOf } from '../../../shared/lab/reached.ts';
import { splitArguments } from '../../../shared/lab/script-arguments.ts';
import { moduleOf } from '../../../shared/lab/script-check.ts';
import { fewestProcesses, type Script } from '../../../shared/lab/script.ts';
import { portWord } from '../../base/allocated.ts';
import { codeCopy, runFolder } from '../../base/node-layout.ts';
import { ownAddressInterface } from '../../net/index.ts';
import type { ReadyLab, ReadyNode } from '../../provision/index.ts';
import {
  ncclInterface,
  planRanks,
  politeness,
  threadsPerRank,
  type PlannedRank,
  type RankCommand,
} from './command.ts';
import { pythonPath } from './python-path.ts';

/** The user's patterns for the run's collectors. */
export const patternsFile = (home: string, runId: string): string =>
  `${runFolder(home, runId)}/patterns.json`;

export interface ScriptStart {
  readonly runId: string;
  /** From 1. */
  readonly attempt: number;
  /** The script's own text, '' where it is not known. */
  readonly text: string;
  /** By node id: the folder of our package for Python. */
  readonly packages: ReadonlyMap<string, string>;
  /** See `ringMbps`: searched once, since it takes all orders of the nodes. */
  readonly ringMbps: number | undefined;
}

export interface ScriptProcess extends RankCommand {
  readonly workingDirectory: string;
}

/** The processes to start: one a rank, or one agent a node, which is then shown as the node's only rank. */
export const scriptPlaces = (script: Script, ready: ReadyLab): PlannedRank[] =>
  script.launch === 'torchrun'
    ? ready.nodes.map((node, rank) => ({ rank, localRank: 0, ready: node }))
    : planRanks(ready);

/** Python's comments, and its texts of one line: in them a `#` begins no comment. */
const commentOrText = /#.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;

/**
 * How old scripts want their local rank, as `torch.distributed.launch` gave it: only where their source has such an
 * option, in its spelling.
 */
const localRankOption = (text: string): '--local_rank' | '--local-rank' | undefined => {
  for (const [token] of text.matchAll(commentOrText)) {
    const word = token.slice(1, -1);
    if (!token.startsWith('#') && (word === '--local_rank' || word === '--local-rank')) return word;
  }
  return undefined;
};

function words(script: Script): readonly string[] {
  const split = splitArguments(script.arguments);
  // lab-check refuses it before.
  if (!split.ok) throw new RinglabError('bad_request', { path: 'script.arguments', problem: split.quote });
  return split.words;
}

/** What Python is to start. */
const target = (script: Script, copy: string): string[] => {
  const module_ = moduleOf(script);
  return module_ === undefined ? [posix.join(copy, script.file.replaceAll('\\', '/'))] : ['-m', module_];
};

/**
 * Gloo's Python binding takes an interface, not an address. Undefined where the node's address is on none that is
 * known: Gloo then chooses by the host's name.
 */
const interfaceOf = ({ address, facts, enter, interface: own }: ReadyNode): string | undefined =>
  own ??
  (enter === undefined ? undefined : ownAddressInterface) ??
  facts.addresses.find((one) => one.address === address)?.interface;

/** The user's variables, without secret ones: those go to the node apart from the command (`script-secrets.ts`). */
const ownVariables = ({ environment = [] }: Script): Record<string, string> =>
  Object.fromEntries(
    environment.filter(({ secret }) => secret !== true).map(({ name, value }) => [name, value ?? '']),
  );

/** For a Python with another libtorch. */
const engineOf = ({ engine }: ReadyNode): Record<string, string> => {
  if (engine === undefined) return {};
  return 'path' in engine ? { RINGLAB_ENGINE: engine.path } : { RINGLAB_ENGINE_PROBLEM: engine.problem };
};

/**
 * How fast the slowest drawn link carries the ring of an all-reduce: `ringlab.slow` chooses its mode by it. Undefined where none is
 * drawn, or the drawing limits nothing: on a cluster, and between local nodes without an emulated network.
 */
export function ringMbps(lab: LabDocument, ready: ReadyLab): number | undefined {
  const limits = ready.nodes.some(({ enter, node }) => enter !== undefined || node.access.type !== 'local');
  if (clusterOf(lab) !== undefined || !limits) return undefined;
  const order = ready.nodes.map(({ node }) => node.id);
  const network = networkOf(lab, order, 'given');
  if ('code' in network || !network.drawn) return undefined;
  const used = network.links.filter(({ ring }) => ring > 0);
  if (used.length === 0) return undefined;
  return Math.min(...used.map(({ bytesPerSecond, ring }) => (bytesPerSecond * 8) / 1e6 / ring));
}

export function scriptCommand(
  lab: LabDocument,
  script: Script,
  ready: ReadyLab,
  place: PlannedRank,
  directory: string,
  { runId, attempt, text, packages, ringMbps: mbps }: ScriptStart,
): ScriptProcess {
  const node = place.ready;
  const python = node.python ?? 'python3';
  const copy = codeCopy(node.facts.home, runId);
  const { host } = ready.master;
  const own = ownVariables(script);
  const gloo = interfaceOf(node);
  const threads = String(threadsPerRank(ready, node));
  const path = pythonPath(packages.get(node.node.id), own.PYTHONPATH, runtimeOf(lab));
  const common = {
    OMP_NUM_THREADS: threads,
    ...(gloo === undefined ? {} : { GLOO_SOCKET_IFNAME: gloo }),
    ...ncclInterface(lab, node),
    PYTHONUNBUFFERED: '1',
    // Logs are read as UTF-8; in a locale of GBK or Big5 Python would print in that. As lenient as Python is without a locale.
    PYTHONIOENCODING: 'utf-8:surrogateescape',
    ...own,
    ...(path === undefined ? {} : { PYTHONPATH: path }),
    RINGLAB_RUN_ID: runId,
    RINGLAB_RANK_DIR: directory,
    // It holds the engine that `ringlab.slow` loads, for the libtorch that it was built with.
    RINGLAB_TRAINER: node.trainer,
    ...engineOf(node),
    ...(mbps === undefined ? {} : { RINGLAB_RING_MBPS: String(mbps) }),
  };
  const workingDirectory = posix.join(copy, (script.workingFolder ?? '.').replaceAll('\\', '/'));
  if (script.launch === 'torchrun')
    return {
      argv: [
        ...politeness(node),
        python,
        '-m',
        'torch.distributed.run',
        ...agentOptions(script, ready, place, runId),
        ...target(script, copy),
        ...words(script),
      ],
      env: common,
      workingDirectory,
    };
  const worldSize = ready.nodes.reduce((sum, { processes }) => sum + processes, 0);
  const option = localRankOption(text);
  return {
    argv: [
      ...politeness(node),
      python,
      ...target(script, copy),
      ...(option === undefined ? [] : [`${option}=${place.localRank}`]),
      ...words(script),
    ],
    env: {
      ...common,
      RANK: String(place.rank),
      LOCAL_RANK: String(place.localRank),
      WORLD_SIZE: String(worldSize),
      LOCAL_WORLD_SIZE: String(node.processes),
      NODE_RANK: String(ready.nodes.indexOf(node)),
      GROUP_RANK: String(ready.nodes.indexOf(node)),
      MASTER_ADDR: host,
      MASTER_PORT: portWord(ready.master),
      TORCHELASTIC_RUN_ID: runId,
      TORCHELASTIC_RESTART_COUNT: String(attempt - 1),
    },
    workingDirectory,
  };
}

/** A lost agent's peers fail too, and each agent starts its workers again: that often at most. */
const maxRestarts = 3;

/** The first node's agent keeps the store: it need not find out by its host's name that it is the one. */
function agentOptions(
  script: Script,
  { nodes, master }: ReadyLab,
  { rank, ready }: PlannedRank,
  runId: string,
): string[] {
  const fewest = fewestProcesses(script, nodes.length);
  const host = master.host.includes(':') ? `[${master.host}]` : master.host;
  const major = Number.parseInt(ready.pythonVersions?.torch ?? '0', 10);
  return [
    ...(fewest === nodes.length
      ? [`--nnodes=${nodes.length}`]
      : [`--nnodes=${fewest}:${nodes.length}`, `--max_restarts=${maxRestarts}`]),
    `--nproc_per_node=${ready.processes}`,
    `--rdzv_id=${runId}`,
    '--rdzv_backend=c10d',
    `--rdzv_endpoint=${host}:${portWord(master)}`,
    `--rdzv_conf=is_host=${rank === 0 ? 'true' : 'false'}`,
    // Where the others reach this node's workers; older ones take the host's name. And with Python 3.11 torch 1.13 does
    // not start without a redirection: its default is no listed member of its flag enumeration.
    ...(major >= 2 ? [`--local_addr=${ready.address}`] : ['--redirects=1', '--tee=1']),
  ];
}

/** The command that collects what a node's ranks write and print (native/PROTOCOL.md, 'Collected lines'). */
export function collectCommand(
  script: Script,
  ready: ReadyNode,
  ranks: readonly { readonly rank: number; readonly directory: string }[],
  { runId, attempt }: Pick<ScriptStart, 'runId' | 'attempt'>,
): RankCommand {
  const copy = codeCopy(ready.facts.home, runId);
  const folder = (script.workingFolder ?? '.').replaceAll('\\', '/');
  return {
    argv: [
      ...politeness(ready),
      ready.trainer,
      'collect',
      ...ranks.flatMap(({ rank, directory }) => ['--rank', `${rank}=${directory}:${copy}`]),
      ...(script.outputs ?? []).flatMap((path) => [
        '--output',
        posix.join(folder, path.replaceAll('\\', '/')),
      ]),
      ...((script.patterns ?? []).length === 0 ? [] : ['--patterns', patternsFile(ready.facts.home, runId)]),
      '--attempt',
      String(attempt),
    ],
    env: { ...ready.environment },
  };
}
