/** `--sync auto`: which way of synchronising a lab's links allow, and why. Pure. */
import { costModel, isProblem, type Estimate, type EstimateInput } from './estimate.ts';
import type { EstimateProblem } from './flows.ts';

export const autoSync = 'auto';

/**
 * The ways in which every gradient goes, from the most faithful; after them come local steps. A mode further down is taken
 * only where it pays: that is what keeps a fast network's training exact.
 */
const everyGradient: readonly string[] = ['allreduce', 'fp16'];
/** Local steps between two exchanges, where a run is long enough. */
const periods: readonly number[] = [1, 2, 4, 8, 16];
/** What a run needs of exchanges to learn as one whole; docs/slow-links.md says what was lost with as many. */
const fewestExchanges = 32;

/**
 * Less than half a bit for each weight: with sixteen local steps a thousandth of all-reduce's bytes. PowerSGD and top-k are
 * not weighed: they send more and lose more (docs/slow-links.md).
 */
const localSync = (period: number): string => `local:${period},sparse=0.45`;

/** From the most faithful to the one that says least. */
function syncLadder(stepsPerEpoch: number | undefined, epochs: number): string[] {
  const longest =
    stepsPerEpoch === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(1, Math.min(stepsPerEpoch, Math.floor((stepsPerEpoch * epochs) / fewestExchanges)));
  const fitting = [...new Set(periods.map((period) => Math.min(period, longest)))];
  return [...everyGradient, ...fitting.map(localSync)];
}

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
  const weighed = syncLadder(model.stepsPerEpoch, input.lab.experiment.epochs).flatMap(
    (sync) => model.of(sync) ?? [],
  );
  const [plain] = weighed;
  if (plain === undefined) return { code: 'unknown_sync', sync: everyGradient[0] ?? '' };
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
