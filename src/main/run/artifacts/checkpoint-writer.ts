/** Which rank's folder has a checkpoint file of a run: where ranks were lost, others than rank 0 save, too. */
import { rankSource, type MetricLine } from '../../../shared/metrics/metrics.ts';
import { isKeptCheckpoint } from '../../../shared/run/checkpoint.ts';
import { firstMemberOf, firstMembers } from '../../../shared/run/membership.ts';
import type { ExportedFile, RankRecord, RunRecord } from '../../../shared/run/run.ts';
import type { Store } from '../../store/index.ts';

/** Of each rank that has saved: more epochs than most runs have. */
const linesRead = 4000;

/** Whether the save put the file there: the best model and kept ones are copies of some checkpoints. */
const holds = (line: MetricLine, file: ExportedFile): boolean =>
  line.file === 'checkpoint' &&
  (isKeptCheckpoint(file) ? line.kept === file : !file.startsWith('model_best.') || line.best === true);

/**
 * The rank that saved it last. An attempt that was resumed has not saved yet: rank 0 may have an older file then. Undefined for a run
 * without ranks.
 */
export async function checkpointWriter(
  store: Pick<Store, 'lines'>,
  run: RunRecord,
  file: ExportedFile,
): Promise<RankRecord | undefined> {
  const firsts = firstMembers(run);
  if (firsts.length === 1) return firstMemberOf(run);
  const newest = async (rank: number): Promise<{ rank: number; t: number } | undefined> => {
    const query = { runId: run.id, kinds: ['checkpoint'], source: rankSource(rank), limit: linesRead };
    const saved = (await store.lines(query)).findLast(({ line }) => holds(line, file));
    return saved === undefined ? undefined : { rank, t: saved.line.t };
  };
  const saves = (await Promise.all(firsts.map(newest))).filter((one) => one !== undefined);
  const last = saves.sort((a, b) => a.t - b.t).at(-1);
  return run.ranks.find(({ rank }) => rank === last?.rank) ?? firstMemberOf(run);
}
