/**
 * Explains why a step takes as long as it does, from the ranks' own times. GPU utilisation alone misleads: a rank that waits
 * in an all-reduce looks busy, and all ranks' steps are equally long. So a rank is judged by its computing time before the
 * reduction; the straggler's own waiting time in the reduction is the network's. Pure functions.
 */
import type { ProfilePlace } from '../../../shared/run/rank-profile.ts';
import { median } from '../../../shared/run/run-figures.ts';
import type { RankTimes } from './rank-pulse.ts';

export interface RankHeat {
  /** The GPU's model: other models have other clocks. */
  readonly model: string;
  readonly celsius: number | undefined;
  readonly megahertz: number | undefined;
}

export interface WhyInput {
  readonly ranks: readonly RankTimes[];
  /** The hottest GPU of each rank that computes on one. */
  readonly heat: ReadonlyMap<number, RankHeat>;
}

export type Finding =
  /** Waits for input data: all ranks, or one. */
  | { readonly code: 'data'; readonly share: number; readonly rank: number | undefined }
  /**
   * The others wait for this rank; `slower`: the factor by which it computes longer, undefined where they compute nothing.
   * `byLine`: a line of a script is why.
   */
  | {
      readonly code: 'slowRank';
      readonly share: number;
      readonly rank: number;
      readonly slower: number | undefined;
      readonly byLine?: boolean;
    }
  /** The straggler's GPU has lowered its clock. */
  | {
      readonly code: 'throttled';
      readonly rank: number;
      readonly celsius: number;
      readonly megahertz: number;
    }
  | { readonly code: 'network'; readonly share: number }
  /** An own script's: checkpoints are written, a line that belongs to no part of a step, code is compiled. */
  | { readonly code: 'saving'; readonly share: number; readonly rank: number }
  | { readonly code: 'line'; readonly share: number; readonly rank: number; readonly place: ProfilePlace }
  | { readonly code: 'compile'; readonly share: number }
  /** No waiting was found. */
  | { readonly code: 'compute'; readonly share: number };

/** A smaller share of a step is not reported. */
export const worth = 0.12;
const slowerThan = 1.15;
/** NVIDIA's boards lower their clocks at 83 °C and above. */
const hot = 83;
const lowered = 0.88;

/** The lower one of two middle values: the higher one of two ranks must not be a part of what it is compared with. */
const lowerMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;

/** The most severe first; empty without enough data. */
export function whySlow({ ranks, heat }: WhyInput): Finding[] {
  const whole = median(ranks.map((one) => one.whole));
  if (whole === undefined || whole <= 0) return [];
  const found: { readonly finding: Finding; readonly share: number }[] = [];
  const add = (finding: Finding, share: number): void => {
    found.push({ finding, share });
  };
  const usual = lowerMedian(ranks.map((one) => one.compute));
  const slowest = ranks.toSorted((a, b) => b.compute - a.compute)[0];
  const excess = slowest === undefined ? 0 : (slowest.compute - usual) / whole;
  const slow =
    slowest !== undefined && ranks.length > 1 && slowest.compute > usual * slowerThan && excess > worth
      ? slowest
      : undefined;
  if (slow !== undefined)
    add(
      {
        code: 'slowRank',
        share: excess,
        rank: slow.rank,
        slower: usual > 0 ? slow.compute / usual : undefined,
      },
      excess,
    );

  const best = new Map<string, number>();
  for (const { model, megahertz } of heat.values())
    best.set(model, Math.max(best.get(model) ?? 0, megahertz ?? 0));
  for (const [rank, { model, celsius, megahertz }] of heat) {
    if (celsius === undefined || megahertz === undefined || celsius < hot) continue;
    if (megahertz > (best.get(model) ?? 0) * lowered) continue;
    add({ code: 'throttled', rank, celsius, megahertz }, rank === slow?.rank ? excess * 0.99 : worth);
  }

  const starved = ranks.toSorted((a, b) => b.data - a.data)[0];
  const dataShare = (starved?.data ?? 0) / whole;
  if (starved !== undefined && dataShare > worth) {
    const alone = lowerMedian(ranks.map((one) => one.data)) < starved.data / 2;
    add({ code: 'data', share: dataShare, rank: alone ? starved.rank : undefined }, dataShare);
  }
  // The rank that waits least arrived last: its waiting time is the exchange itself.
  const networkShare = Math.min(...ranks.map((one) => one.waited)) / whole;
  if (ranks.length > 1 && networkShare > worth) add({ code: 'network', share: networkShare }, networkShare);
  if (found.length === 0) {
    const share = Math.min(1, (median(ranks.map((one) => one.compute)) ?? 0) / whole);
    return [{ code: 'compute', share }];
  }
  return found.toSorted((a, b) => b.share - a.share).map(({ finding }) => finding);
}
