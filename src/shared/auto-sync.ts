/** `--sync auto`: which way of synchronising a lab's links allow, and why. Pure. */
import { costModel, isProblem, type Estimate, type EstimateInput, type EstimateProblem } from './estimate.ts';

export const autoSync = 'auto';

/**
 * From the most faithful to the one that says least. A mode further down is taken only where it pays: that is what keeps
 * a fast network's training exact. After them comes the one for the slowest links.
 */
export const syncLadder: readonly string[] = ['allreduce', 'fp16', 'powersgd:4', 'powersgd:2', 'topk:0.01'];
/**
 * Local steps, and less than half a bit for each weight: about a thousandth of all-reduce's bytes, for which
 * docs/slow-links.md says what is lost. An epoch of fewer steps is one period.
 */
const usualPeriod = 16;
export const localSync = (stepsPerEpoch = usualPeriod): string =>
  `local:${Math.min(usualPeriod, stepsPerEpoch)},sparse=0.45`;
/** For models of small matrices (DenseNet, MobileNet): weighed where it sends less than PowerSGD. */
const sparseSync = 'topk:0.01';
/** A mode stands for all further down that are not faster than it by more than this. */
const worthwhile = 1.1;

export interface Advice {
  /** What to take. */
  readonly chosen: Estimate;
  /** What it is compared with: every gradient as it is. */
  readonly plain: Estimate;
  /** `plain_is_enough`: nothing is faster by more than a tenth; `faster`: the links are what the ranks wait for. */
  readonly reason: 'plain_is_enough' | 'faster';
  /** All that were weighed, from the most faithful. */
  readonly weighed: readonly Estimate[];
}

export function advise(input: EstimateInput): Advice | EstimateProblem {
  const model = costModel(input);
  if (isProblem(model)) return model;
  const lowRankBytes = model.of('powersgd:2')?.bytesPerStep ?? Number.POSITIVE_INFINITY;
  const weighed = [...syncLadder, localSync(model.stepsPerEpoch)]
    .flatMap((sync) => model.of(sync) ?? [])
    .filter(({ sync, bytesPerStep }) => sync !== sparseSync || bytesPerStep < lowRankBytes);
  const [plain] = weighed;
  if (plain === undefined) return { code: 'unknown_sync', sync: syncLadder[0] ?? '' };
  const fastest = (from: number): number => Math.min(...weighed.slice(from).map((one) => one.secondsPerStep));
  // Where no link is what they wait for, another mode could only spare the cores some copying: no reason to lose anything.
  if (plain.bottleneck === undefined) return { chosen: plain, plain, reason: 'plain_is_enough', weighed };
  const chosen = weighed.find((one, index) => one.secondsPerStep <= worthwhile * fastest(index)) ?? plain;
  return { chosen, plain, reason: chosen === plain ? 'plain_is_enough' : 'faster', weighed };
}

/**
 * The mode to train with: what the lab says, and where that is `auto` what the links advise. `advice` is there where a
 * choice was made.
 */
export function resolveSync(input: EstimateInput): { sync: string; advice?: Advice } | EstimateProblem {
  if (input.lab.experiment.sync !== autoSync) return { sync: input.lab.experiment.sync };
  const advice = advise(input);
  return 'code' in advice ? advice : { sync: advice.chosen.sync, advice };
}
