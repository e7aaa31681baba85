/** What the ranks of a start continue from: the run's own newest checkpoint, that of another run, or nothing. */
import { existsSync } from 'node:fs';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import type { Reach } from '../../local/index.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { Store } from '../../store/index.ts';
import { keptArtifact } from '../record/kept-artifact.ts';
import { bringBack } from './bring-back.ts';
import { rankFolderOnNode, type ResumePoint } from './command.ts';

export interface StartPointOptions {
  readonly reach: Pick<Reach, 'session'>;
  readonly store: Pick<Store, 'runFolder' | 'lines'>;
  readonly run: RunRecord;
  /** Of this attempt. */
  readonly lab: LabDocument;
  readonly signal: AbortSignal;
}

export interface Planned {
  /** Of the attempt that is about to start, rank 0 first. */
  readonly ranks: readonly [RankRecord, ...RankRecord[]];
  /** The home of each rank's node, by its number. */
  readonly homes: readonly string[];
  /** Whether the nodes of the attempt before may have been released, and the ranks' files with them. */
  readonly released: boolean;
}

/** The checkpoint that a run continues from. */
export const newest = 'checkpoint.pth.tar';
/** `checkpoint` lines that are looked through; each rank writes one at each save. */
const linesRead = 1000;

/** Whether the run has saved: then a start from the beginning would do all of it again, and replace the copy on this computer. */
async function hasSaved(store: StartPointOptions['store'], { id, ranks }: RunRecord): Promise<boolean> {
  if (existsSync(keptArtifact(store, id, newest))) return true;
  const limit = linesRead + 2 * ranks.length;
  const lines = await store.lines({ runId: id, kinds: ['checkpoint'], limit });
  return lines.some(({ line }) => line.file === 'checkpoint');
}

/**
 * What each rank continues from, by its number; undefined: from the beginning, as an attempt does whose run has saved
 * nothing yet. Rank 0 reads the checkpoint, and where ranks may go on without it all look for the newest one: the others
 * read their rank state beside the given path, in the folder that they had on their node. A checkpoint that is on no node any more is
 * brought back from this computer. Rejects with `checkpoint_gone` where it is not here either.
 * @param resume from the run's own newest checkpoint
 */
export async function startPoint(
  options: StartPointOptions,
  { ranks, homes, released }: Planned,
  resume: boolean,
): Promise<((rank: number) => ResumePoint) | undefined> {
  const { reach, store, run, lab, signal } = options;
  const { onLostRank } = lab.experiment;
  const [rank0] = ranks;
  const isThere = async ({ nodeId }: RankRecord, path: string): Promise<boolean> => {
    const session = await reach.session(lab, nodeId, signal);
    const found = await session.exec(`[ -s ${shellQuote(path)} ]`, { signal, brief: true });
    return found.code === 0;
  };
  /** Whether a rank has a checkpoint that it saved for all: rank 0, or where ranks are left when others are lost, any. */
  const hasNewest = async (): Promise<boolean> => {
    const asked = onLostRank === 'stop' ? [rank0] : ranks;
    const found = await Promise.all(asked.map((one) => isThere(one, `${one.directory}/${newest}`)));
    return found.includes(true);
  };
  const gone = (file: string): RinglabError =>
    new RinglabError('checkpoint_gone', { file }, { where: rank0.nodeName });
  const wereGone = await bringBack(options, ranks, resume && released);
  if (resume && (await hasNewest()))
    // Ranks that went on without others have no state of their checkpoint any more.
    return () => ({ path: newest, fresh: wereGone || onLostRank === 'continue' });
  // Of a node that was released that is known beforehand, and nothing newer is replaced.
  if (resume && !released && (await hasSaved(store, run))) {
    if (!(await bringBack(options, ranks, true))) throw gone(newest);
    return () => ({ path: newest, fresh: true });
  }
  const from = run.origin?.checkpoint;
  if (from === undefined) return undefined;
  const path = (rank: number): string =>
    `${rankFolderOnNode(homes[rank] ?? '', from.runId, rank)}/${from.file}`;
  if (!(await isThere(rank0, path(0)))) throw gone(from.file);
  return (rank) => ({ path: path(rank), fresh: true });
}
