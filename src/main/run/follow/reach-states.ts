/** Derives the states of a run and its ranks from which nodes are reachable. Pure. */
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';

/**
 * `waiting` exactly where a rank that has not ended is on an unreachable node.
 * @param unreachable since when, Unix seconds by node
 * @param ended ranks that have ended
 */
export function withReach(
  run: RunRecord,
  unreachable: ReadonlyMap<string, number>,
  ended: { has(rank: number): boolean },
): RunRecord {
  const hidden = run.ranks.some((rank) => unreachable.has(rank.nodeId) && !ended.has(rank.rank));
  const state =
    run.state === 'running' && hidden
      ? 'waiting'
      : run.state === 'waiting' && !hidden
        ? 'running'
        : run.state;
  const ranks = run.ranks.map((rank): RankRecord => {
    if (rank.state === 'running' && unreachable.has(rank.nodeId)) return { ...rank, state: 'unreachable' };
    if (rank.state === 'unreachable' && !unreachable.has(rank.nodeId)) return { ...rank, state: 'running' };
    return rank;
  });
  return { ...run, state, ranks, unreachable: Object.fromEntries(unreachable) };
}
