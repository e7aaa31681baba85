/** The x axis that the user chose, and the conversion of the feed's x to it. */
import type { Language } from '../../../shared/base/language.ts';
import { formatClock, formatCount, formatDuration, formatNumber } from '../../ui/index.ts';
import type { EpochSteps } from './epoch-steps.ts';
import { clockLabel, clockTicks, linearTicks, wholeTicks } from './scale.ts';

const hour = 3600;

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
   * The axis to request from the feed. The trainer's lines are spread over their epoch by its steps. A script's
   * scalars have epochs of their own.
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
 * @param epochs unknown before the first rank started: epochs then fall back to steps
 * @param start Unix seconds that the time is counted from
 */
export function makeAxis(choice: AxisChoice, epochs: EpochSteps | undefined, start: number): Axis {
  if (choice === 'time') {
    return {
      choice,
      x: 't',
      toShown: (x) => x - start,
      toFeed: (shown) => shown + start,
      ticks: clockTicks,
      label: clockLabel,
      // After an hour a duration has no seconds, after a day no minutes.
      format: (shown, language) =>
        Math.abs(shown) < hour ? formatDuration(shown, language) : formatClock(shown),
    };
  }
  const shown = choice === 'epoch' ? epochs : undefined;
  return {
    choice: shown === undefined ? 'step' : choice,
    x: 'step',
    toShown: (step) => shown?.epochAt(step) ?? step,
    toFeed: (place) => shown?.stepAt(place) ?? place,
    ticks: shown === undefined ? wholeTicks : epochTicks,
    label: (place, language) =>
      Number.isInteger(place) ? formatCount(place, language) : formatNumber(place, language),
    format: (place, language) =>
      shown === undefined ? formatCount(Math.round(place), language) : formatNumber(place, language),
  };
}

/** Only whole epochs get ticks, unless the user zooms in closely. */
function epochTicks(low: number, high: number, count: number): number[] {
  return (high - low >= 3 ? wholeTicks : linearTicks)(low, high, count);
}

/** @param start Unix seconds that the time is counted from */
export function makeScalarAxis(x: FeedAxis, start: number): Axis {
  if (x !== 'epoch') return makeAxis(x === 't' ? 'time' : 'step', undefined, start);
  return {
    choice: 'epoch',
    x,
    toShown: (epoch) => epoch,
    toFeed: (epoch) => epoch,
    ticks: epochTicks,
    label: formatNumber,
    format: formatNumber,
  };
}

/** The axis of compared runs of the native trainer, whose x values are shifted before they are drawn: it starts at 0. */
export function makeComparedAxis(choice: AxisChoice): Axis {
  if (choice !== 'epoch') return makeAxis(choice, undefined, 0);
  const formatValue = (value: number): string => String(Number(value.toPrecision(4)));
  // Steps are laid along epochs: a zoom and a cursor there are not those of a chart along steps.
  return {
    ...makeAxis('step', undefined, 0),
    ...{ choice, x: choice, ticks: epochTicks, label: formatValue, format: formatValue },
  };
}
