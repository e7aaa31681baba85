/** Why an own script is slow: its ranks' shares of time as the times of a step, and what belongs to no step. Pure functions. */
import { profileParts, type ProfilePlace, type RankProfile } from '../../../shared/run/rank-profile.ts';
import type { RankTimes } from './rank-pulse.ts';
import { whySlow, worth, type Finding, type RankHeat } from './why-slow.ts';

/** What a rank does itself, and others may wait for. */
const computing = profileParts.filter((part) => part !== 'data' && part !== 'exchange');

/** Ranks that train together have equally long steps, so that a share stands for a time. */
const timesOfProfile = ({ rank, shares }: RankProfile): RankTimes => ({
  rank,
  whole: 1,
  data: shares.data ?? 0,
  compute: computing.reduce((sum, part) => sum + (shares[part] ?? 0), 0),
  waited: shares.exchange ?? 0,
});

function most<T>(values: readonly T[], size: (value: T) => number): T | undefined {
  return values.toSorted((a, b) => size(b) - size(a))[0];
}

/** The most severe first; empty without profiles. */
export function whyScriptSlow(
  profiles: readonly RankProfile[],
  heat: ReadonlyMap<number, RankHeat>,
): Finding[] {
  const steps = whySlow({ ranks: profiles.map((profile) => timesOfProfile(profile)), heat });
  const more: Finding[] = [];
  const saves = most(profiles, ({ shares }) => shares.saving ?? 0);
  if (saves?.shares.saving !== undefined && saves.shares.saving > worth)
    more.push({ code: 'saving', share: saves.shares.saving, rank: saves.rank });
  const compiles = Math.max(0, ...profiles.map(({ shares }) => shares.compile ?? 0));
  if (compiles > worth) more.push({ code: 'compile', share: compiles });
  const lines = profiles.flatMap(({ rank, places }) =>
    places.filter(({ part }) => part === 'other').map((place: ProfilePlace) => ({ rank, place })),
  );
  const line = most(lines, ({ place }) => place.share);
  if (line !== undefined && line.place.share > worth)
    more.push({ code: 'line', share: line.place.share, rank: line.rank, place: line.place });
  const found = [
    ...steps.flatMap((finding) => {
      if (finding.code === 'compute' && more.length > 0) return [];
      const byLine = finding.code === 'slowRank' && explains(line, finding);
      return [byLine ? { ...finding, byLine } : finding];
    }),
    ...more,
  ];
  return found.toSorted((a, b) => shareOf(b) - shareOf(a));
}

/** Whether the line takes most of what the rank computes longer. */
const explains = (
  line: { readonly rank: number; readonly place: ProfilePlace } | undefined,
  { rank, share }: { readonly rank: number; readonly share: number },
): boolean => line !== undefined && line.rank === rank && line.place.share > share / 2;

const shareOf = (finding: Finding): number => (finding.code === 'throttled' ? worth : finding.share);
