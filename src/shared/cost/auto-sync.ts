/** Resolves `--sync auto`: chooses the mode of synchronisation that a lab's links allow, with the reason. Pure. */
import { costModel, isProblem, type Estimate, type EstimateInput } from './estimate.ts';
import type { EstimateProblem } from './flows.ts';
import { streamedValueShare } from './collective-cost.ts';
import { excludedSettings, settingsOf } from '../settings/index.ts';

export const autoSync = 'auto';

/**
 * Modes that exchange every gradient, from the most exact to the least; streamed averages follow. A less exact mode is
 * chosen only if it is clearly faster, so that training on a fast network stays exact.
 */
const everyGradient: readonly string[] = ['allreduce', 'fp16'];
/** What `auto` promises against exact all-reduce, which sends 32 bits for each parameter and step. */
const fewerBytes = 200;
/**
 * What a run sends beside its steps' streams, as a factor: 0.5 % of them are headers and the statistics of batch norm,
 * 1.9 % the exact average at the end of 1,512 steps (docs/slow-links.md).
 */
const besidesStreams = 1.024;
/** 0.156: more bits hide behind computing over faster links, but no measurement shows that they teach more. */
export const maxBits = Math.floor((1000 * 32) / (fewerBytes * besidesStreams)) / 1000;
/**
 * So many learned as well as all-reduce, fewer did not (docs/slow-links.md): where these do not hide, a run waits for
 * them. The trainer's kEnoughBits (native/sync/stream/stream_rule.cpp), which a test compares.
 */
export const enoughBits = 0.145;
const minBits = 0.05;
/** Bits for each parameter of a streamed average that begins after every step. */
const everyStep: readonly number[] = [maxBits, enoughBits, 0.12, 0.09, 0.07, minBits];
/**
 * Local steps between two exchanges, where not even the fewest bits hide behind one: each with as many bits as hide then, since it may
 * be the links' delay that does not.
 */
const longer: readonly number[] = [2, 4, 8, 16];

/**
 * Each exchange overlaps all of the steps until the next one, and the trainer watches whether it does (`adapt`). `local:16,sparse=0.45`, PowerSGD and top-k are not
 * candidates: at no more bytes they learn less (docs/slow-links.md).
 */
const streamed = (period: number, bits: number): string =>
  `local:${period},stream=${bits},overlap=${period},adapt=${maxBits}`;

/**
 * Of a streamed average's bytes, that must be values: of a last layer that is trained alone, a message has hardly room
 * for its header. 0.28 is 1,000 ranks of resnet18 (docs/slow-links.md).
 */
const leastValues = 0.25;

/**
 * Periods that an epoch has room for: the trainer refuses others. None where the epoch is not known; there the trainer
 * lengthens the period itself, by what it sees of the links.
 */
const periodsIn = (stepsPerEpoch: number | undefined): readonly number[] =>
  longer.filter((period) => period <= (stepsPerEpoch ?? 1));

/** A less exact mode must be faster by more than this factor: fewer bits, or no longer every gradient. */
const worthwhile = 1.1;
/** Fewer bits than enough cost accuracy, and fewer exchanges more of it. */
const worthAccuracy = 1.5;

const fastestOf = (modes: readonly Estimate[]): number => Math.min(...modes.map((one) => one.secondsPerStep));

/** Of modes from the most exact to the least, the first one that is about as fast as any. */
const mostExact = (modes: readonly Estimate[]): Estimate | undefined =>
  modes.find((one) => one.secondsPerStep <= worthwhile * fastestOf(modes));

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
  const settings = settingsOf(input.lab.experiment);
  const excluded = (sync: string): number => excludedSettings({ ...settings, sync }).length;
  // fp16's scaler and batch norm over all ranks allow modes that exchange every gradient alone.
  const allowed = (sync: string): boolean => excluded(sync) === excluded(everyGradient[0] ?? '');
  const estimates = (syncs: readonly string[]): readonly Estimate[] =>
    syncs.filter(allowed).flatMap((sync) => model.of(sync) ?? []);
  const exact = estimates(everyGradient);
  const holdsValues = (bits: number): boolean =>
    streamedValueShare(model.trained, bits, model.ranks) >= leastValues;
  const often = estimates(everyStep.filter(holdsValues).map((bits) => streamed(1, bits)));
  const periods = periodsIn(model.stepsPerEpoch);
  const seldom = estimates(
    periods.flatMap((period) => everyStep.filter(holdsValues).map((bits) => streamed(period, bits))),
  );
  const weighed = [...exact, ...often, ...seldom];
  const [plain] = weighed;
  if (plain === undefined) return { code: 'unknown_sync', sync: everyGradient[0] ?? '' };
  // Where the ranks wait for no link, another mode would only save some copying: not worth any accuracy.
  if (plain.bottleneck === undefined) return { chosen: plain, plain, reason: 'plain_is_enough', weighed };
  const fastest = fastestOf(weighed);
  const within = (one: Estimate | undefined, factor: number): Estimate | undefined =>
    one !== undefined && one.secondsPerStep <= factor * fastest ? one : undefined;
  const hidden = mostExact(often);
  const enough = within(
    often.find(({ sync }) => sync === streamed(1, enoughBits)),
    worthAccuracy,
  );
  const stepwise = often.find((one) => one === hidden || one === enough);
  const preferred =
    within(mostExact(exact), worthwhile) ??
    (stepwise !== undefined && stepwise.secondsPerStep < plain.secondsPerStep
      ? within(stepwise, worthAccuracy)
      : undefined) ??
    mostExact(seldom) ??
    stepwise ??
    plain;
  // Of what is left some is faster than the preferred one, and this one perhaps hardly faster than plain.
  const chosen = worthwhile * preferred.secondsPerStep <= plain.secondsPerStep ? preferred : plain;
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
