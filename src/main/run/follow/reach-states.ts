/** Derives the states of a run and its ranks from which nodes are reachable. Pure. */
import { leftOut } from '../../../shared/run/membership.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';

/**
 * `waiting` exactly where a rank that has not ended is on an unreachable node, and the others do not go on without it.
 * @param unreachable since when, Unix seconds by node
 * @param ended ranks that have ended
 */
export function withReach(
  run: RunRecord,
  unreachable: ReadonlyMap<string, number>,
  ended: { has(rank: number): boolean },
): RunRecord {
  const without = new Set(leftOut(run).map(({ rank }) => rank));
  const hidden = run.ranks.some(
    ({ rank, nodeId }) => unreachable.has(nodeId) && !ended.has(rank) && !without.has(rank),
  );
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
