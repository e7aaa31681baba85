/** The states of ranks of which none is running any more. Pure. */
import type { RankRecord } from '../../../shared/run/run.ts';

export const endedRanks = (ranks: readonly RankRecord[]): RankRecord[] =>
  ranks.map((rank): RankRecord => {
    if (rank.state === 'unreachable') return { ...rank, state: 'lost' };
    // Not every rank could be started; the others have been ended.
    return rank.state === 'running' || rank.state === 'starting' ? { ...rank, state: 'stopped' } : rank;
  });
