/** Pods without a claim took a run's files with them: its next attempt continues from the copies on this computer. */
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

function keptOf({ store, run }: BringBackOptions, rank: RankRecord): Kept[] {
  const folder = store.runFolder(run.id);
  const isFirst = rank.localRank === 0;
  // Lines continue where they ended; their numbers and offsets go on.
  const files: Kept[] = [
    [join(folder, `${rankSource(rank.rank)}.jsonl`), `${rank.directory}/metrics.jsonl`],
    [join(folder, `${rankSource(rank.rank)}.log.txt`), `${rank.directory}/log.txt`],
  ];
  if (isFirst)
    files.push([
      join(folder, `${monitorSource(rank.nodeId)}.jsonl`),
      `${monitorOrder(run, rank).directory}/metrics.jsonl`,
    ]);
  if (rank.rank === 0)
    for (const name of ['checkpoint.pth.tar', 'model_best.pth.tar'])
      files.push([keptArtifact(store, run.id, name), `${rank.directory}/${name}`]);
  return files.filter(([here]) => existsSync(here));
}

/**
 * Puts what is missing on the nodes back there.
 * @param ranks of the next attempt
 * @returns whether the checkpoint was among it: the ranks' own states were not brought home
 */
export async function bringBack(options: BringBackOptions, ranks: readonly RankRecord[]): Promise<boolean> {
  const { reach, run, signal } = options;
  const brought = await Promise.all(
    ranks.map(async (rank) => {
      const kept = keptOf(options, rank);
      if (kept.length === 0) return false;
      const session = await reach.session(run.lab, rank.nodeId, signal);
      const asks = kept.map(([, there]) => `[ -s ${shellQuote(there)} ] && echo yes || echo no`);
      const { stdout } = await session.exec(asks.join('\n'), { signal, brief: true });
      const isThere = stdout.trim().split('\n');
      const missing = kept.filter((_, index) => isThere[index] === 'no');
      for (const [here, there] of missing) await session.upload({ path: here }, there, { signal });
      return missing.some(([, there]) => there.endsWith('/checkpoint.pth.tar'));
    }),
  );
  return brought.includes(true);
}
