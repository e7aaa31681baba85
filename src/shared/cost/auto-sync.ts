/** Resolves `--sync auto`: chooses the mode of synchronisation that a lab's links allow, with the reason. Pure. */
import { costModel, isProblem, type Estimate, type EstimateInput } from './estimate.ts';
import type { EstimateProblem } from './flows.ts';

export const autoSync = 'auto';

/**
 * Modes that exchange every gradient, from the most exact to the least; local steps follow. A less exact mode is
 * chosen only if it is clearly faster, so that training on a fast network stays exact.
 */
const everyGradient: readonly string[] = ['allreduce', 'fp16'];
/** Local steps between two exchanges, where a run is long enough. */
const periods: readonly number[] = [1, 2, 4, 8, 16];
/** Minimum number of exchanges in a run for the ranks to learn as one; docs/slow-links.md has the measured loss of accuracy. */
const fewestExchanges = 32;

/**
 * Less than half a bit for each weight: with sixteen local steps a thousandth of all-reduce's bytes. PowerSGD and
 * top-k are not candidates: they send more and lose more (docs/slow-links.md).
 */
const localSync = (period: number): string => `local:${period},sparse=0.45`;

/** The candidate modes, from the most exact to the least. */
function syncLadder(stepsPerEpoch: number | undefined, epochs: number): string[] {
  const longest =
    stepsPerEpoch === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(1, Math.min(stepsPerEpoch, Math.floor((stepsPerEpoch * epochs) / fewestExchanges)));
  const fitting = [...new Set(periods.map((period) => Math.min(period, longest)))];
  return [...everyGradient, ...fitting.map(localSync)];
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
  const weighed = syncLadder(model.stepsPerEpoch, input.lab.experiment.epochs).flatMap(
    (sync) => model.of(sync) ?? [],
  );
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
