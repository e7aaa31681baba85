/** Resolves `--sync auto`: chooses the mode of synchronisation that a lab's links allow, with the reason. Pure. */
import { costModel, isProblem, type Estimate, type EstimateInput } from './estimate.ts';
import type { EstimateProblem } from './flows.ts';
import { streamedValueShare } from './collective-cost.ts';
import { excludedSettings, settingsOf } from '../settings/index.ts';

export const autoSync = 'auto';

/**
 * Modes that exchange every gradient, from the most exact to the least; a streamed average follows. A less exact mode is
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
 * An average begins after every step and overlaps the next one. Fewer bits and longer periods cost accuracy on tasks that are hard to learn
 * (docs/slow-links.md): over slower links a run waits, and the trainer goes down to what was enough (`adapt`). `local:16,sparse=0.45`,
 * PowerSGD and top-k learn less at no more bytes.
 */
const streamed = `local:1,stream=${maxBits},overlap=1,adapt=${maxBits}`;

/**
 * Of a streamed average's bytes, that must be values: of a last layer that is trained alone, a message has hardly room
 * for its header. 0.28 is 1,000 ranks of resnet18 (docs/slow-links.md).
 */
const leastValues = 0.25;

/** A less exact mode must be faster by more than this factor. */
const worthwhile = 1.1;

/** Of modes from the most exact to the least, the first one that is about as fast as any. */
function mostExact(modes: readonly Estimate[]): Estimate | undefined {
  const fastest = Math.min(...modes.map((one) => one.secondsPerStep));
  return modes.find((one) => one.secondsPerStep <= worthwhile * fastest);
}

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
  const holdsValues = streamedValueShare(model.trained, maxBits, model.ranks) >= leastValues;
  const weighed = [...everyGradient, ...(holdsValues ? [streamed] : [])]
    .filter(allowed)
    .flatMap((sync) => model.of(sync) ?? []);
  const [plain] = weighed;
  if (plain === undefined) return { code: 'unknown_sync', sync: everyGradient[0] ?? '' };
  // Where the ranks wait for no link, another mode would only save some copying: not worth any accuracy.
  if (plain.bottleneck === undefined) return { chosen: plain, plain, reason: 'plain_is_enough', weighed };
  const preferred = mostExact(weighed) ?? plain;
  // The preferred one may be hardly faster than plain.
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
