/** What the time of an own script's ranks goes into, from samples of each rank's Python stack. Pure. */
import * as z from 'zod';
import type { Language } from '../base/language.ts';
import { shownLine } from '../base/plain-text.ts';
import { formatPercent } from '../i18n/quantity.ts';
import { say } from '../i18n/say.ts';
import type { Point } from '../metrics/metrics.ts';
import { newestOfRanks } from './newest-of-ranks.ts';

/** The kind of the lines, whose member of this name is a `RankProfile` without its time (native/PROTOCOL.md). */
export const profileKind = 'profile';

/**
 * In the order in which they are shown. `exchange`: waits in a collective, or in a backward pass for its last one; `device`:
 * Python waits for a GPU; `other`: the script's own lines.
 */
export const profileParts = [
  'data',
  'forward',
  'backward',
  'optimizer',
  'device',
  'other',
  'saving',
  'compile',
  'exchange',
] as const;
export type ProfilePart = (typeof profileParts)[number];

const Share = z.number().min(0).max(1);

/** A line of the script: the share of the rank's time, and the part that most of it is in. */
const ProfilePlace = z.object({
  file: shownLine(200),
  line: z.number().int().nonnegative().max(1e9),
  function: shownLine(80),
  text: shownLine(160),
  share: Share,
  part: z.enum(profileParts),
});
export type ProfilePlace = z.infer<typeof ProfilePlace>;

export const RankProfile = z.object({
  rank: z.number().int().nonnegative().max(99_999),
  /** Unix seconds of the line. */
  t: z.number(),
  /** That the samples are of. */
  seconds: z.number().nonnegative(),
  samples: z.number().int().nonnegative(),
  shares: z.partialRecord(z.enum(profileParts), Share),
  places: z.array(ProfilePlace).max(6).default([]),
});
export type RankProfile = z.infer<typeof RankProfile>;

/** The newest of each rank: `newestOfRanks`. */
export const profilesOf = (points: readonly Point[]): RankProfile[] =>
  newestOfRanks(points, profileKind, RankProfile);

/** The parts that took time, in the order in which they are shown. */
export const partsOf = ({ shares }: RankProfile): { readonly part: ProfilePart; readonly share: number }[] =>
  profileParts.flatMap((part) => {
    const share = shares[part];
    return share === undefined || share === 0 ? [] : [{ part, share }];
  });

/** `data loading 41 %, forward 20 %`: the largest first. */
export const describeParts = (profile: RankProfile, language: Language): string =>
  partsOf(profile)
    .toSorted((a, b) => b.share - a.share)
    .map(({ part, share }) => `${say(language, `profile.${part}`)} ${formatPercent(100 * share, language)}`)
    .join(', ');

/** `train.py:57 evaluate: time.sleep(1)` */
export const describeLine = (place: Pick<ProfilePlace, 'file' | 'line' | 'function' | 'text'>): string =>
  `${place.file}:${place.line} ${place.function}${place.text === '' ? '' : `: ${place.text}`}`;
