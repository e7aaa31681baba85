/** A script's scalars as single numbers, to compare runs by: each scalar's last, lowest and highest value. */
import * as z from 'zod';
import { longestScalarName, type RunScalar } from './run-outputs.ts';

/** Maximum number of scalars whose values are read at a time. */
export const maxValued = 64;

/** Absent where no value was finite; work that a resume discarded does not count. */
export const ScalarValues = z.object({
  final: z.number().optional(),
  lowest: z.number().optional(),
  highest: z.number().optional(),
});
export type ScalarValues = z.infer<typeof ScalarValues>;
export type ScalarMeasure = keyof ScalarValues;
export const scalarMeasures = ['final', 'lowest', 'highest'] as const satisfies ScalarMeasure[];

export const RunScalarValues = z.object({
  runId: z.string(),
  /** All scalars of the run, in natural order. */
  names: z.array(z.string().max(longestScalarName)),
  /** Of the lowest rank that has it, for each asked name that the run has. */
  values: z.record(z.string(), ScalarValues),
});
export type RunScalarValues = z.infer<typeof RunScalarValues>;

const lowerWords = new Set(['loss', 'error', 'err', 'mse', 'mae', 'rmse', 'nll', 'perplexity', 'ppl', 'fid']);
const higherWords = new Set(
  [
    'acc',
    'accuracy',
    'acc1',
    'acc5',
    'top1',
    'top5',
    'f1',
    'auc',
    'auroc',
    'map',
    'miou',
    'iou',
    'dice',
  ].concat(['bleu', 'rouge', 'psnr', 'ssim', 'reward', 'return', 'precision', 'recall', 'r2']),
);

/** Which end of a scalar is its best value, where its name says so. */
export function bestOf(name: string): 'lowest' | 'highest' | undefined {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll('@', '')
    .split(/[^a-z0-9]+/);
  const isLower = words.some((word) => lowerWords.has(word) || word.endsWith('loss'));
  const isHigher = words.some((word) => higherWords.has(word) || word.endsWith('acc'));
  return isLower === isHigher ? undefined : isLower ? 'lowest' : 'highest';
}

/**
 * null is a value that was not finite.
 * @param kept the points without the work that a resume discarded
 * @param logged the points in the order in which they were logged
 */
export function valuesOf(kept: readonly (number | null)[], logged = kept): ScalarValues {
  const isFinite = (value: number | null): value is number => value !== null;
  const finite = kept.filter(isFinite);
  const final = logged.findLast(isFinite);
  return final === undefined || finite.length === 0
    ? {}
    : {
        final,
        lowest: finite.reduce((a, b) => Math.min(a, b)),
        highest: finite.reduce((a, b) => Math.max(a, b)),
      };
}

/** The rank whose values stand for a run. */
export const valuedRank = ({ ranks }: RunScalar): RunScalar['ranks'][number] | undefined => ranks[0];
