/** Resolves `--sync auto`: chooses the mode of synchronisation that a lab's links allow, with the reason. Pure. */
import { costModel, isProblem, type Estimate, type EstimateInput } from './estimate.ts';
import type { EstimateProblem } from './flows.ts';

export const autoSync = 'auto';

/**
 * Modes that exchange every gradient, from the most exact to the least; streamed averages follow. A less exact mode is
 * chosen only if it is clearly faster, so that training on a fast network stays exact.
 */
const everyGradient: readonly string[] = ['allreduce', 'fp16'];
/** Bits for each parameter of a streamed average that begins after every step. */
const everyStep: readonly number[] = [1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.145, 0.1, 0.07, 0.05];
/** Local steps between two exchanges, where not even the fewest bits hide behind one. */
const longer: readonly number[] = [2, 4, 8, 16];
const fewestBits = 0.05;

/**
 * Each exchange overlaps all of the steps until the next one. `local:16,sparse=0.45`, PowerSGD and top-k are not
 * candidates: at no more bytes they learn less (docs/slow-links.md).
 */
const streamed = (period: number, bits: number): string => `local:${period},stream=${bits},overlap=${period}`;

/** The candidate modes, from the most exact to the least. */
function syncLadder(stepsPerEpoch: number | undefined): string[] {
  const periods = longer.filter((period) => period <= (stepsPerEpoch ?? Number.POSITIVE_INFINITY));
  return [
    ...everyGradient,
    ...everyStep.map((bits) => streamed(1, bits)),
    ...periods.map((period) => streamed(period, fewestBits)),
  ];
}

/** A less exact mode must be faster by more than this factor. */
const worthwhile = 1.1;

export interface Advice {
  /** The mode to use. */
  readonly chosen: Estimate;
  /** The baseline: every gradient uncompressed. */
  readonly plain: Estimate;
  /** `plain_is_enough`: nothing is more than a tenth faster; `faster`: the ranks wait for the links. */
  readonly reason: 'plain_is_enough' | 'faster';
  /** All candidates, from the most exact to the least. */
  readonly weighed: readonly Estimate[];
}

export function advise(input: EstimateInput): Advice | EstimateProblem {
  const model = costModel(input);
  if (isProblem(model)) return model;
  const weighed = syncLadder(model.stepsPerEpoch).flatMap((sync) => model.of(sync) ?? []);
  const [plain] = weighed;
  if (plain === undefined) return { code: 'unknown_sync', sync: everyGradient[0] ?? '' };
  const fastest = (from: number): number => Math.min(...weighed.slice(from).map((one) => one.secondsPerStep));
  // Where the ranks wait for no link, another mode would only save some copying: not worth any accuracy.
  if (plain.bottleneck === undefined) return { chosen: plain, plain, reason: 'plain_is_enough', weighed };
  const chosen = weighed.find((one, index) => one.secondsPerStep <= worthwhile * fastest(index)) ?? plain;
  return { chosen, plain, reason: chosen === plain ? 'plain_is_enough' : 'faster', weighed };
}

/**
 * The mode to train with: the lab's own, or where that is `auto` the one chosen for its links. `advice` is set where
 * one was chosen.
 */
export function resolveSync(input: EstimateInput): { sync: string; advice?: Advice } | EstimateProblem {
  if (input.lab.experiment.sync !== autoSync) return { sync: input.lab.experiment.sync };
  const advice = advise(input);
  return 'code' in advice ? advice : { sync: advice.chosen.sync, advice };
}
