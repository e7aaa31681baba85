/**
 * Estimates step time, bytes and the bottleneck of a lab's experiment from the drawing alone. Pure. Communication is
 * the time that a rank waits, not what overlaps computation: with `computeSeconds` it adds up to the step, and both
 * mean the same as in the trainer's lines, but for the waits of batch norms over all ranks, which its lines count as
 * computation.
 */
import { asReached, clusterOf } from '../lab/reached.ts';
import { assumeCompute, computesOnGpus, type ComputeAssumption } from './compute-time.ts';
import {
  delaysOfMessage,
  normsCost,
  nothing,
  syncCost,
  type ExchangeCost,
  type SyncCost,
} from './collective-cost.ts';
import { isBackboneFrozen, isFrozenByName, trainedShapes, type ModelShapes } from './model-shapes.ts';
import { processesOn } from '../lab/lab-check.ts';
import { imagesOfStep, settingsOf, type TrainingSettings } from '../settings/index.ts';
import { imageSizeOf, trainingNodes, type LabDocument } from '../lab/lab.ts';
import { directRanks, networkOf, type DirectedLink, type EstimateProblem, type Network } from './flows.ts';

/** Compute time measured by a run: a step without the waiting for other ranks. */
export interface MeasuredCompute {
  readonly seconds: number;
  readonly runId: string;
  readonly runName: string;
}

export interface EstimateInput {
  readonly lab: LabDocument;
  readonly measured?: MeasuredCompute | undefined;
  /** Cores of this computer, which local nodes share. */
  readonly localCpus?: number | undefined;
  /** False where the links are drawn but not emulated, and do not limit a run. True by default. */
  readonly linksAreReal?: boolean | undefined;
}

/** The assumptions behind an estimate; the window and the command line have texts for them. */
type EstimateAssumption =
  | 'compute_assumed'
  | 'classes_assumed'
  | 'frozen_counted'
  | 'network_not_drawn'
  | 'links_not_emulated'
  | 'loss_not_counted';

interface Bottleneck {
  readonly linkId: string;
  /** The names of the nodes at its ends. */
  readonly ends: readonly [string, string];
  /** Time of one exchange on this link. */
  readonly seconds: number;
  /** All links that take as long, this one among them: of equal links none is the bottleneck alone. */
  readonly alike: ReadonlySet<string>;
}

export interface Estimate {
  readonly sync: string;
  readonly ranks: number;
  readonly secondsPerStep: number;
  readonly computeSeconds: number;
  readonly communicationSeconds: number;
  /** Payload that each rank sends, averaged over steps. */
  readonly bytesPerStep: number;
  /** What a run exchanges once, at its end: seconds of waiting, and payload that each rank sends. */
  readonly atEnd: { readonly seconds: number; readonly bytes: number } | undefined;
  /** Undefined where the number of images is known only on the nodes. */
  readonly stepsPerEpoch: number | undefined;
  readonly secondsPerEpoch: number | undefined;
  /** The link that the ranks wait for, if any. */
  readonly bottleneck: Bottleneck | undefined;
  readonly measured: MeasuredCompute | undefined;
  readonly assumed: ComputeAssumption | undefined;
  readonly assumptions: readonly EstimateAssumption[];
}

/** The share of a link's bandwidth that the ring reaches: neighbours wait for one another's pieces. */
const ringShareOfLink = 0.985;
/** A rank's CPU time for each byte that it receives, adds and forwards. */
const secondsPerByte = 0.5e-9;
/**
 * CPU time to encode and decode a number; this and the two constants around it are fitted to
 * measured-steps.fixture.ts.
 */
const secondsPerCodedNumber = 13e-9;
/** Of a copy between a GPU and memory that is not pinned: native/sync/streamed/streamed_average.cpp copies each matrix. */
const gpuCopyBytesPerSecond = 6e9;
/** Time until a rank that waits for a message gets a core again. */
const secondsPerRound = 0.15e-3;
/** The share of the slowest link's time from which another one is as slow. */
const alikeFrom = 0.98;
/** Waiting for less than this share of computation is not reported as a bottleneck. */
const noticeable = 0.1;
const shapesClasses = 10;
const defaultClasses = 1000;
/** Two floats: whether a rank stops, and whether a loss is not finite. */
const flagBytes = 8;

/** The part that does not depend on the mode of synchronisation: computed once, used for many modes. */
export interface CostModel {
  /** Undefined for an invalid mode and for `auto`: see auto-sync.ts. */
  of(sync: string): Estimate | undefined;
  /** Node ids in the order of their ranks. */
  readonly order: readonly string[];
  /** What the ranks exchange. */
  readonly trained: ModelShapes;
  readonly ranks: number;
}

export function costModel(input: EstimateInput): CostModel | EstimateProblem {
  const { lab, measured } = input;
  const { experiment } = lab;
  const nodes = trainingNodes(lab);
  const ranks = nodes.reduce((sum, node) => sum + processesOn(lab, node), 0);
  if (ranks === 0) return { code: 'nothing_to_train' };
  const classes = experiment.data.type === 'shapes' ? shapesClasses : defaultClasses;
  const settings = settingsOf(experiment);
  const model = trainedShapes(experiment.architecture, classes, settings.freeze);
  if (model === undefined) return { code: 'unknown_architecture', architecture: experiment.architecture };
  // A cluster's own network carries what is drawn here as links.
  const real = (input.linksAreReal ?? true) && clusterOf(input.lab) === undefined;
  const network = networkOf(
    real ? lab : { ...lab, links: [] },
    nodes.map(({ id }) => id),
  );
  if ('code' in network) return network;

  const batch = imagesOfStep(experiment.batchSize, ranks, settings.accumulate);
  const assumed =
    measured === undefined
      ? assumeCompute(lab, model, batch, imageSizeOf(experiment.data), input.localCpus)
      : undefined;
  const computeSeconds = measured?.seconds ?? assumed?.seconds ?? 0;
  const stepsPerEpoch =
    experiment.data.type === 'shapes'
      ? Math.ceil(Math.ceil(experiment.data.train / ranks) / batch)
      : undefined;
  const assumptions: EstimateAssumption[] = [
    ...(measured === undefined ? (['compute_assumed'] as const) : []),
    ...(experiment.data.type === 'shapes' ? [] : (['classes_assumed'] as const)),
    ...(ranks > 1 && isFrozenByName(settings.freeze) ? (['frozen_counted'] as const) : []),
    ...(ranks > 1 && !network.drawn
      ? ([lab.links.length === 0 ? 'network_not_drawn' : 'links_not_emulated'] as const)
      : []),
    ...(network.drawn && lab.links.some(({ lossPercent }) => lossPercent > 0)
      ? (['loss_not_counted'] as const)
      : []),
  ];
  const place: Place = {
    network,
    crowding: ranksPerCore(lab, input.localCpus),
    onGpus: computesOnGpus(lab),
    ranks,
  };

  const norms = ranks > 1 && sharesNorms(settings) ? normsCost(model, ranks, settings.accumulate) : nothing;
  const normSeconds = unhidden(norms, place);
  // Communication during backward of the last micro-batch overlaps all of it but its forward pass.
  const beside = ((computeSeconds + normSeconds) * (model.passes - 1)) / model.passes / settings.accumulate;

  return {
    order: network.order,
    trained: model,
    ranks,
    of(sync) {
      const cost = ranks > 1 ? syncCost(sync, model, ranks) : alone;
      if (cost === undefined) return undefined;
      const waited = waiting(cost, place, computeSeconds, beside);
      const communicationSeconds = waited.seconds + normSeconds;
      const secondsPerStep = computeSeconds + communicationSeconds;
      const { last } = cost;
      const flags = cost.flagged * (ranks - 1) * flagBytes * (ranks <= directRanks ? 1 : 2 / ranks);
      return {
        sync,
        ranks,
        secondsPerStep,
        computeSeconds,
        communicationSeconds,
        bytesPerStep: Math.round(bytesOf(cost.exchange, ranks) / cost.period + norms.ringBytes + flags),
        atEnd:
          last === undefined
            ? undefined
            : { seconds: unhidden(last, place), bytes: Math.round(bytesOf(last, ranks)) },
        stepsPerEpoch,
        secondsPerEpoch: stepsPerEpoch === undefined ? undefined : stepsPerEpoch * secondsPerStep,
        bottleneck: waited.bottleneck,
        measured,
        assumed,
        assumptions,
      };
    },
  };
}

export const isProblem = (value: CostModel | Estimate | EstimateProblem): value is EstimateProblem =>
  'code' in value;

/** For a concrete mode: the lab's own, or `sync`. */
export function estimate(input: EstimateInput, sync = input.lab.experiment.sync): Estimate | EstimateProblem {
  const model = costModel(input);
  if (isProblem(model)) return model;
  return model.of(sync) ?? { code: 'unknown_sync', sync };
}

const alone: SyncCost = { exchange: nothing, period: 1, overlapSteps: 0, besideBackward: true, flagged: 1 };

/** Batch norms that are frozen with the backbone and held exchange nothing; which others are held is known on the nodes. */
const sharesNorms = ({ syncBatchNorm, freezeBatchNorm, freeze }: TrainingSettings): boolean =>
  syncBatchNorm && !(freezeBatchNorm && isBackboneFrozen(freeze));

/** Ranks that share one core of this computer: the factor by which computation is slower. */
function ranksPerCore(lab: LabDocument, localCpus: number | undefined): number {
  if (localCpus === undefined) return 1;
  const local = trainingNodes(asReached(lab)).filter(({ access }) => access.type === 'local');
  return Math.max(1, local.reduce((sum, node) => sum + processesOn(lab, node), 0) / localCpus);
}

/** Where exchanges take place. */
export interface Place {
  readonly network: Network;
  /** The factor by which work on a CPU is slower. */
  readonly crowding: number;
  readonly onGpus: boolean;
  readonly ranks: number;
}

/** That each rank sends. */
const bytesOf = ({ ringBytes, pairBytes }: ExchangeCost, ranks: number): number =>
  ringBytes + pairBytes * (ranks - 1);

/** Seconds of an exchange on its slowest link, and on the ranks' CPUs. */
export function partsOf(exchange: ExchangeCost, { network, crowding, onGpus, ranks }: Place) {
  const secondsOn = (link: DirectedLink): number =>
    (exchange.ringBytes * link.ring + exchange.pairBytes * link.pairs) /
    (link.bytesPerSecond * ringShareOfLink);
  let onLinks = 0;
  let slowest: DirectedLink | undefined;
  for (const link of network.links) {
    const seconds = secondsOn(link);
    if (seconds > onLinks) [onLinks, slowest] = [seconds, link];
  }
  const alike = new Set(
    network.links.flatMap((link) => (secondsOn(link) > alikeFrom * onLinks ? [link.linkId] : [])),
  );
  const work =
    (bytesOf(exchange, ranks) * secondsPerByte +
      exchange.codedNumbers * secondsPerCodedNumber +
      exchange.rounds * secondsPerRound) *
      crowding +
    (onGpus ? exchange.gpuCopyBytes / gpuCopyBytesPerSecond : 0);
  return { onLinks, slowest, alike, work, transfer: onLinks + exchange.delays * network.delay };
}

/** Of an exchange that nothing overlaps. */
function unhidden(exchange: ExchangeCost, place: Place): number {
  const { work, transfer } = partsOf(exchange, place);
  return work + transfer;
}

function waiting(
  cost: SyncCost,
  place: Place,
  computeSeconds: number,
  beside: number,
): { seconds: number; bottleneck: Bottleneck | undefined } {
  const { network, ranks } = place;
  // The work competes with backward: it cannot overlap.
  const { onLinks, slowest, alike, work, transfer } = partsOf(cost.exchange, place);
  const delays =
    delaysOfMessage * (ranks <= directRanks ? network.farthest : 2 * (ranks - 1) * network.delay);
  const flags = ranks > 1 ? Math.max(0, delays - beside) : 0;
  let seconds: number;
  if (cost.besideBackward) {
    const exposed = Math.max(transfer - beside, transfer * cost.exchange.lastShare);
    seconds = Math.max(exposed + work, flags);
  } else {
    // The flags of a step in which an exchange lands pass it, on connections of their own; those of the other steps are by themselves.
    const landing = cost.overlapSteps > 0;
    const exposed = landing ? Math.max(transfer - cost.overlapSteps * computeSeconds, flags) : transfer;
    const alone = Math.max(0, cost.flagged - (landing ? 1 / cost.period : 0));
    seconds = (exposed + work) / cost.period + alone * flags;
  }
  const bottleneck =
    slowest === undefined || seconds < noticeable * computeSeconds || seconds <= 0 || transfer < work
      ? undefined
      : { linkId: slowest.linkId, ends: slowest.ends, seconds: onLinks, alike };
  return { seconds, bottleneck };
}
