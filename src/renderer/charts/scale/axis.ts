/** The x axis that the user chose, and the conversion of the feed's x to it. */
import type { Language } from '../../../shared/base/language.ts';
import { formatClock, formatDuration, formatNumber } from '../../ui/index.ts';
import { clockTicks, linearTicks, wholeTicks } from './scale.ts';

export type AxisChoice = 'step' | 'epoch' | 'time';

/** What a feed is asked for along x. */
export type FeedAxis = 'step' | 'epoch' | 't';

export interface Range {
  readonly from: number;
  readonly to: number;
}
/** The visible part of each axis, in the feed's units; undefined: all of it. */
export type Zooms = { readonly [X in FeedAxis]?: Range | undefined };

export interface Axis {
  readonly choice: AxisChoice;
  /**
   * The axis to request from the feed. The trainer's epoch is a fixed number of steps: lines of one epoch are spread
   * over it. A script's scalars have epochs of their own.
   */
  readonly x: FeedAxis;
  toShown(x: number): number;
  toFeed(shown: number): number;
  ticks(low: number, high: number, count: number): number[];
  /** The short form, for a tick. */
  label(shown: number, language: Language): string;
  /** The complete form, for the cursor. */
  format(shown: number, language: Language): string;
}

/**
 * @param stepsPerEpoch unknown before the first rank started: epochs then fall back to steps
 * @param start Unix seconds that the time is counted from
 */
export function makeAxis(choice: AxisChoice, stepsPerEpoch: number | undefined, start: number): Axis {
  if (choice === 'time') {
    return {
      choice,
      x: 't',
      toShown: (x) => x - start,
      toFeed: (shown) => shown + start,
      ticks: clockTicks,
      label: (shown) => formatClock(shown),
      format: (shown, language) => formatDuration(shown, language),
    };
  }
  const steps = choice === 'epoch' && stepsPerEpoch !== undefined && stepsPerEpoch > 0 ? stepsPerEpoch : 1;
  return {
    choice: steps === 1 ? 'step' : choice,
    x: 'step',
    toShown: (x) => x / steps,
    toFeed: (shown) => shown * steps,
    // Only whole epochs get ticks, unless the user zooms in closely.
    ticks: (low, high, count) =>
      (steps === 1 || high - low >= 3 ? wholeTicks : linearTicks)(low, high, count),
    label: (shown, language) => formatNumber(shown, language),
    format: (shown, language) => formatNumber(steps === 1 ? Math.round(shown) : shown, language),
  };
}

/** @param start Unix seconds that the time is counted from */
export function makeScalarAxis(x: FeedAxis, start: number): Axis {
  if (x !== 'epoch') return makeAxis(x === 't' ? 'time' : 'step', undefined, start);
  return {
    choice: 'epoch',
    x,
    toShown: (epoch) => epoch,
    toFeed: (epoch) => epoch,
    ticks: (low, high, count) => (high - low >= 3 ? wholeTicks : linearTicks)(low, high, count),
    label: formatNumber,
    format: formatNumber,
  };
}
