/**
 * What a lab's experiment will cost: step time, bytes, and what the ranks wait for; from the drawing alone. Pure.
 * Communication is what a rank waits for, not what crosses the network behind its computing: the sum with
 * `computeSeconds` is the step, and both mean what the trainer's lines of the same names mean.
 */
import { assumeCompute, type ComputeAssumption } from './compute-time.ts';
import { modelShapes, syncCost, type ExchangeCost, type SyncCost } from './collective-cost.ts';
import { processesOn } from '../lab/lab-check.ts';
import { imageSizeOf, trainingNodes, type LabDocument } from '../lab/lab.ts';
import { networkOf, type DirectedLink, type EstimateProblem, type Network } from './flows.ts';

/** What a run has shown of computing: everything in a step but waiting for the others. */
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
  /** False where the links are only drawn and not emulated: nothing slows a run down. True by default. */
  readonly linksAreReal?: boolean | undefined;
}

/** What was taken for granted; the texts are the window's and the command line's. */
export type EstimateAssumption =
  'compute_assumed' | 'classes_assumed' | 'network_not_drawn' | 'links_not_emulated' | 'loss_not_counted';

interface Bottleneck {
  readonly linkId: string;
  /** Names of its ends. */
  readonly ends: readonly [string, string];
  /** What one exchange takes on it. */
  readonly seconds: number;
}

export interface Estimate {
  readonly sync: string;
  readonly ranks: number;
  readonly secondsPerStep: number;
  readonly computeSeconds: number;
  readonly communicationSeconds: number;
  /** Payload that each rank sends, in the mean over steps. */
  readonly bytesPerStep: number;
  /** Undefined where the number of pictures is not known before the nodes are asked. */
  readonly stepsPerEpoch: number | undefined;
  readonly secondsPerEpoch: number | undefined;
  /** The link that the ranks wait for; undefined where they wait for none. */
  readonly bottleneck: Bottleneck | undefined;
  readonly measured: MeasuredCompute | undefined;
  readonly assumed: ComputeAssumption | undefined;
  readonly assumptions: readonly EstimateAssumption[];
}

/** Of a link's bandwidth, what the ring uses: neighbours wait for one another's pieces. */
const ringShareOfLink = 0.985;
/** Forward is a third of computing: communication beside backward hides behind the rest. */
const backwardShare = 2 / 3;
/** A rank's own work for each byte that it receives, adds up and sends on. */
const secondsPerByte = 0.5e-9;
/** A rank's work to bring a number into another form and back; this and the two around it from measured-steps.fixture.ts. */
const secondsPerCodedNumber = 13e-9;
/** Until a rank that waits for a message has a core again. */
const secondsPerRound = 0.15e-3;
/** Waiting for less than this share of computing is nobody's bottleneck. */
const noticeable = 0.1;
const shapesClasses = 10;
const defaultClasses = 1000;
/** The two floats of every step that say who stops and whose loss is lost. */
const flagBytes = 8;

/** What does not depend on how the ranks synchronise: made once, asked for many modes. */
export interface CostModel {
  /** Undefined where the mode is none. `auto` is none: see auto-sync.ts. */
  of(sync: string): Estimate | undefined;
  readonly stepsPerEpoch: number | undefined;
  /** Ids of the nodes in the order of their ranks. */
  readonly order: readonly string[];
}

export function costModel(input: EstimateInput): CostModel | EstimateProblem {
  const { lab, measured } = input;
  const { experiment } = lab;
  const nodes = trainingNodes(lab);
  const ranks = nodes.reduce((sum, node) => sum + processesOn(lab, node), 0);
  if (ranks === 0) return { code: 'nothing_to_train' };
  const classes = experiment.data.type === 'shapes' ? shapesClasses : defaultClasses;
  const model = modelShapes(experiment.architecture, classes);
  if (model === undefined) return { code: 'unknown_architecture', architecture: experiment.architecture };
  const real = input.linksAreReal ?? true;
  const network = networkOf(
    real ? lab : { ...lab, links: [] },
    nodes.map(({ id }) => id),
  );
  if ('code' in network) return network;

  const batch = Math.max(1, Math.floor(experiment.batchSize / ranks));
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
    ...(ranks > 1 && !network.drawn
      ? ([lab.links.length === 0 ? 'network_not_drawn' : 'links_not_emulated'] as const)
      : []),
    ...(network.drawn && lab.links.some(({ lossPercent }) => lossPercent > 0)
      ? (['loss_not_counted'] as const)
      : []),
  ];
  const crowding = ranksPerCore(lab, input.localCpus);

  return {
    order: network.order,
    stepsPerEpoch,
    of(sync) {
      const cost = ranks > 1 ? syncCost(sync, model, ranks) : alone;
      if (cost === undefined) return undefined;
      const waited = waiting(cost, network, computeSeconds, crowding, ranks);
      const secondsPerStep = computeSeconds + waited.seconds;
      const { ringBytes, pairBytes } = cost.exchange;
      const flags = ranks > 1 ? (2 * (ranks - 1) * flagBytes) / ranks : 0;
      return {
        sync,
        ranks,
        secondsPerStep,
        computeSeconds,
        communicationSeconds: waited.seconds,
        bytesPerStep: Math.round((ringBytes + pairBytes * (ranks - 1)) / cost.period + flags),
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

const nothing: ExchangeCost = { ringBytes: 0, pairBytes: 0, rounds: 0, lastShare: 0, codedNumbers: 0 };
const alone: SyncCost = { exchange: nothing, period: 1, overlapSteps: 0, besideBackward: true };

/** Ranks that share one core of this computer: what a rank computes takes as many times longer. */
function ranksPerCore(lab: LabDocument, localCpus: number | undefined): number {
  if (localCpus === undefined) return 1;
  const local = trainingNodes(lab).filter(({ access }) => access.type === 'local');
  return Math.max(1, local.reduce((sum, node) => sum + processesOn(lab, node), 0) / localCpus);
}

function waiting(
  cost: SyncCost,
  network: Network,
  computeSeconds: number,
  crowding: number,
  ranks: number,
): { seconds: number; bottleneck: Bottleneck | undefined } {
  const { exchange } = cost;
  const bytes = exchange.ringBytes + exchange.pairBytes * (ranks - 1);
  let onLinks = 0;
  let slowest: DirectedLink | undefined;
  for (const link of network.links) {
    const seconds =
      (exchange.ringBytes * link.ring + exchange.pairBytes * link.pairs) /
      (link.bytesPerSecond * ringShareOfLink);
    if (seconds > onLinks) [onLinks, slowest] = [seconds, link];
  }
  // Work of the cores, which backward wants as well: it hides behind nothing.
  const work =
    (bytes * secondsPerByte +
      exchange.codedNumbers * secondsPerCodedNumber +
      exchange.rounds * secondsPerRound) *
    crowding;
  const transfer = onLinks + exchange.rounds * network.delay;
  const beside = computeSeconds * backwardShare;
  const flags = ranks > 1 ? Math.max(0, 2 * (ranks - 1) * network.delay - beside) : 0;
  const exposed = cost.besideBackward
    ? Math.max(transfer - beside, transfer * exchange.lastShare)
    : Math.max(0, transfer - cost.overlapSteps * computeSeconds);
  const seconds = Math.max((exposed + work) / cost.period, flags);
  const bottleneck =
    slowest === undefined || seconds < noticeable * computeSeconds || seconds <= 0 || transfer < work
      ? undefined
      : { linkId: slowest.linkId, ends: slowest.ends, seconds: onLinks };
  return { seconds, bottleneck };
}
