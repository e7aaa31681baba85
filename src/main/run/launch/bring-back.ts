/** A run's files that went with a pod without a claim, or with a node that was replaced: its next attempt continues from the copies on this computer. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { monitorSource, rankSource } from '../../../shared/metrics/metrics.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import type { Reach } from '../../local/index.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { Store } from '../../store/index.ts';
import { keptArtifact } from '../record/kept-artifact.ts';
import { monitorOrder } from './orders.ts';

export interface BringBackOptions {
  readonly reach: Pick<Reach, 'session'>;
  readonly store: Pick<Store, 'runFolder'>;
  readonly run: RunRecord;
  readonly signal: AbortSignal;
}

/** A file of this computer, and where it was on the rank's node. */
type Kept = readonly [here: string, there: string];

/** Lines continue where they ended; their numbers and offsets go on. */
function linesOf({ store, run }: BringBackOptions, rank: RankRecord): Kept[] {
  const folder = store.runFolder(run.id);
  return [
    [join(folder, `${rankSource(rank.rank)}.jsonl`), `${rank.directory}/metrics.jsonl`],
    [join(folder, `${rankSource(rank.rank)}.log.txt`), `${rank.directory}/log.txt`],
  ];
}

function keptOf(options: BringBackOptions, rank: RankRecord): Kept[] {
  const { store, run } = options;
  const folder = store.runFolder(run.id);
  const files = linesOf(options, rank);
  if (rank.localRank === 0)
    files.push([
      join(folder, `${monitorSource(rank.nodeId)}.jsonl`),
      `${monitorOrder(run, rank).directory}/metrics.jsonl`,
    ]);
  if (rank.rank === 0)
    for (const name of ['checkpoint.pth.tar', 'model_best.pth.tar'])
      files.push([keptArtifact(store, run.id, name), `${rank.directory}/${name}`]);
  return files;
}

async function put(
  { reach, run, signal }: BringBackOptions,
  { nodeId }: RankRecord,
  files: readonly Kept[],
): Promise<Kept[]> {
  const kept = files.filter(([here]) => existsSync(here));
  if (kept.length === 0) return [];
  const session = await reach.session(run.lab, nodeId, signal);
  const asks = kept.map(([, there]) => `[ -s ${shellQuote(there)} ] && echo yes || echo no`);
  const { stdout } = await session.exec(asks.join('\n'), { signal, brief: true });
  const isThere = stdout.trim().split('\n');
  const missing = kept.filter((_, index) => isThere[index] === 'no');
  for (const [here, there] of missing) await session.upload({ path: here }, there, { signal });
  return missing;
}

/**
 * Puts what is missing on the nodes back there: of ranks whose node was replaced, which have no folder in the run's record, their lines.
 * @param ranks of the next attempt
 * @param all of every rank, and their checkpoints, too: pods without a claim took them
 * @returns whether the checkpoint was among it: the ranks' own states were not brought home
 */
export async function bringBack(
  options: BringBackOptions,
  ranks: readonly RankRecord[],
  all: boolean,
): Promise<boolean> {
  const isNew = ({ rank }: RankRecord): boolean => options.run.ranks[rank]?.directory === '';
  const filesOf = (rank: RankRecord): Kept[] =>
    all ? keptOf(options, rank) : isNew(rank) ? linesOf(options, rank) : [];
  const brought = await Promise.all(ranks.map((rank) => put(options, rank, filesOf(rank))));
  return brought.flat().some(([, there]) => there.endsWith('/checkpoint.pth.tar'));
}
