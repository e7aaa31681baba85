/**
 * What a mode of synchronisation costs in accuracy, as far as it was measured: the tables of docs/slow-links.md. Pure.
 * The test compares both.
 */
import { parseSyncMode, type ReadMode } from '../settings/index.ts';

/** Final top-1 in percent after equal epochs on generated shapes, resnet18, three ranks; medians of the seeds. */
export interface MeasuredAccuracy {
  readonly sync: string;
  /** `make-shapes --task`. */
  readonly task: 'easy' | 'hard';
  readonly plain: number;
  readonly own: number;
  readonly seeds: number;
}

/** Of all-reduce on the harder shapes: seed 1, with which the modes of one seed were measured, and the median of three. */
const hardPlain = { 1: 56.4, 3: 52.9 } as const;
const onHard = (sync: string, own: number, seeds: 1 | 3 = 1): MeasuredAccuracy => ({
  ...{ sync, own, task: 'hard', plain: hardPlain[seeds], seeds },
});
const onEasy = (sync: string, own: number, seeds = 1): MeasuredAccuracy => ({
  ...{ sync, own, task: 'easy', plain: 99.7, seeds },
});

export const measuredAccuracies: readonly MeasuredAccuracy[] = [
  onHard('local:1,stream=0.145,overlap=1', 57.5, 3),
  onHard('local:4', 51.4),
  onHard('local:16', 31.3),
  onHard('local:16,sparse=0.45', 27.7),
  onEasy('local:16,sparse=0.45', 99.5, 3),
  onEasy('fp16', 99.6),
  onEasy('bf16', 99.5),
  onEasy('powersgd:2', 98.7),
  onEasy('topk:0.01', 91),
];

export type AccuracyCost =
  /** Every gradient as it is. */
  | { readonly kind: 'exact' }
  /** Points of top-1 that were lost by this mode, or by one that sends less; none where it learned no less. */
  | { readonly kind: 'measured'; readonly points: number; readonly by: MeasuredAccuracy }
  | { readonly kind: 'not_measured' };

/** Undefined for what is no mode, and for `auto`. */
export function accuracyCost(sync: string): AccuracyCost | undefined {
  const mode = parseSyncMode(sync);
  if (mode === undefined || mode.kind === 'auto') return undefined;
  if (!mode.outer && mode.compression === 'none') return { kind: 'exact' };
  const bounds = measuredAccuracies.filter((row) => sendsNoLess(mode, parseSyncMode(row.sync)));
  const hard = bounds.filter(({ task }) => task === 'hard');
  const [by] = (hard.length > 0 ? hard : bounds).toSorted((a, b) => b.own - b.plain - (a.own - a.plain));
  return by === undefined
    ? { kind: 'not_measured' }
    : { kind: 'measured', points: Math.max(0, Number((by.plain - by.own).toFixed(1))), by };
}

/** Whether `mode` is `than` with as many bits, a rank, a fraction, and as many exchanges, or more of them. */
const sendsNoLess = (mode: ReadMode, than: ReadMode | undefined): boolean =>
  than !== undefined &&
  mode.kind === than.kind &&
  mode.compression === than.compression &&
  mode.late === than.late &&
  mode.outerLearningRate === than.outerLearningRate &&
  mode.outerMomentum === than.outerMomentum &&
  mode.period <= than.period &&
  mode.bits >= than.bits &&
  mode.rank >= than.rank &&
  mode.fraction >= than.fraction &&
  mode.fragments === 1 &&
  mode.qsr === 0;
