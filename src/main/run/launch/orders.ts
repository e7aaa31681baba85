/** Converts a run's record to the orders that start and look at its processes. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { RunJob } from '../../../shared/run/run-job.ts';
import type { RankRecord, RunRecord, StartedProcess } from '../../../shared/run/run.ts';
import type { LaunchOrder } from '../record/launcher.ts';

export const rankOrder = (run: RunRecord, rank: RankRecord): LaunchOrder => ({
  nodeId: rank.nodeId,
  label: `rank-${rank.rank}`,
  directory: rank.directory,
  workingDirectory: rank.workingDirectory,
  argv: rank.argv,
  env: rank.env,
  enter: rank.enter,
  attempt: run.attempt,
  marksStarts: run.lab.experiment.script !== undefined,
});

/**
 * Beside the ranks' folders: a node's own, named by its first rank. Nodes may have one home on a shared file system, and
 * with one folder the second would take the first's process for its own.
 */
const besideRank = ({ directory }: RankRecord, name: string): string =>
  directory.replace(/\/rank-(\d+)$/, `/${name}-$1`);

/** The monitor of a node, by its first rank; its command is only needed to start it. */
export const monitorOrder = (
  run: RunRecord,
  rank: RankRecord,
  command: { argv: readonly string[]; env: Readonly<Record<string, string>> } = { argv: [], env: {} },
): LaunchOrder => ({
  nodeId: rank.nodeId,
  label: 'monitor',
  directory: besideRank(rank, 'monitor'),
  ...command,
  enter: rank.enter,
  attempt: run.attempt,
});

/** What collects the ranks' output on a node: it runs beside the monitor. */
export const collectOrder = (
  run: RunRecord,
  rank: RankRecord,
  command: Pick<LaunchOrder, 'argv' | 'env'>,
): LaunchOrder => ({
  ...monitorOrder(run, rank),
  label: 'collect',
  directory: besideRank(rank, 'collect'),
  // It is beside the network that the ranks use, and only reads files.
  enter: undefined,
  ...command,
});

/** The run's ranks by node, in order. */
export function ranksByNode(run: RunRecord): Map<string, RankRecord[]> {
  const nodes = new Map<string, RankRecord[]>();
  for (const rank of run.ranks) {
    const there = nodes.get(rank.nodeId);
    if (there === undefined) nodes.set(rank.nodeId, [rank]);
    else there.push(rank);
  }
  return nodes;
}

/** The record with one rank changed. */
export const withRank = (
  run: RunRecord,
  rank: number,
  change: (rank: RankRecord) => RankRecord,
): RunRecord => ({
  ...run,
  ranks: run.ranks.map((record) => (record.rank === rank ? change(record) : record)),
});

/** The run with the process of a rank that is seen alive; one that was not started yet was being started when the app ended. */
export const withProcess = (run: RunRecord, rank: number, process: StartedProcess): RunRecord =>
  withRank(run, rank, (before) => ({
    ...before,
    state: before.state === 'pending' ? 'running' : before.state,
    process,
  }));

/** The record with what a scheduler reports of a rank that is alive: the same record where nothing has changed. */
export function withJob(run: RunRecord, rank: number, job: RunJob | undefined): RunRecord {
  if (job === undefined) return run;
  const state = job.waits ? 'starting' : 'running';
  const before = run.ranks[rank]?.state;
  const moves = (before === 'starting' || before === 'running') && before !== state;
  const starts = !job.waits && run.state === 'starting';
  if (!moves && !starts && isDeepStrictEqual(run.job, job)) return run;
  const changed = moves ? withRank(run, rank, (record) => ({ ...record, state })) : run;
  return { ...changed, job, ...(starts ? { state: 'running' } : {}) };
}
