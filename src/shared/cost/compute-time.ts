/**
 * Estimates a rank's compute time for a step that no run has measured yet, from the architecture's multiplications
 * and the node's drawn hardware. Pure. An assumption: whoever shows it must label it so.
 */
import type { ModelShapes } from './model-shapes.ts';
import { asReached } from '../lab/reached.ts';
import { processesOn, rankCount } from '../lab/lab-check.ts';
import { imagesOfStep, settingsOf } from '../settings/index.ts';
import { imageSizeOf, trainingNodes, type LabDocument, type LabNode } from '../lab/lab.ts';

/**
 * Seconds of one core for 10^9 multiplications, forward and backward: a part that scales with the image's size and
 * a part that does not. Fitted to resnet18 on one thread of a 2020s x86 server: 213, 86 and 9 images a second at
 * 32, 64 and 224 px.
 */
const coreSeconds = { shrinking: 0.0599, fixed: 0.00136 };
const fittedPasses = 3;
/** Two cores are less than twice as fast. */
const coreExponent = 0.85;
/** Seconds of an optimizer's step for each trained parameter. */
const optimizerSeconds = 2.5e-9;
/**
 * Single-precision peaks, TFLOP/s, by a part of the model's name that is no part of a longer word or number: an A1000 is no
 * A100. From NVIDIA's data sheets; of GPUs that have a Ti the slower one, but for the 2080 and the 1080.
 */
const gpuPeaks: readonly (readonly [RegExp, number])[] = (
  [
    [80, 'B200', 'GB200', 'B300', 'GB300'],
    [67, 'H100', 'H200', 'H800', 'GH200'],
    [44, 'H20'],
    [19.5, 'A100', 'A800'],
    [10.3, 'A30'],
    [37.4, 'A40'],
    [31.2, 'A10'],
    [91, 'L40', 'L40S', '6000 Ada'],
    [59.8, 'L20'],
    [30.3, 'L4'],
    [38.7, 'A6000'],
    [27.8, 'A5000'],
    [19.2, 'A4000'],
    [15.7, 'V100', 'V100S'],
    [9.3, 'P100'],
    [11.8, 'P40'],
    [8.1, 'T4'],
    [104.8, '5090'],
    [56.3, '5080'],
    [30.9, '5070'],
    [19.2, '5060'],
    [82.6, '4090'],
    [48.7, '4080'],
    [29.1, '4070'],
    [15.1, '4060'],
    [35.6, '3090'],
    [29.8, '3080'],
    [20.3, '3070'],
    [12.7, '3060'],
    [13.4, '2080'],
    [7.5, '2070'],
    [6.5, '2060'],
    [11.3, '1080'],
    [6.5, '1070'],
  ] as const
).map(([peak, ...names]) => [
  new RegExp(
    names.map((name) => `${/^\d/.test(name) ? '(?<!\\d)' : '(?<![a-z\\d])'}${name}(?!\\d)`).join('|'),
    'i',
  ),
  peak,
]);
const defaultPeak = 10;
/** The share of the peak that training reaches. */
const gpuShare = 0.35;

export interface ComputeAssumption {
  readonly seconds: number;
  /** The slowest node: all ranks wait for it. */
  readonly nodeId: string;
  readonly device: 'cpu' | 'gpu';
  /** Cores that a rank has, or the GPU's TFLOP/s. */
  readonly speed: number;
}

/**
 * @param batch images per rank and step
 * @param localCpus cores of this computer, shared by all local nodes; undefined: as drawn
 */
export function assumeCompute(
  lab: LabDocument,
  model: ModelShapes,
  batch: number,
  imageSize: number,
  localCpus?: number,
): ComputeAssumption | undefined {
  const nodes = trainingNodes(asReached(lab));
  const localRanks = nodes
    .filter(({ access }) => access.type === 'local')
    .reduce((sum, node) => sum + processesOn(lab, node), 0);
  const area = (imageSize / model.atSize) ** 2;
  const billions = model.multiplications / 1e9;
  const each = nodes.map((node): ComputeAssumption => {
    const peak = gpuPeakOf(node);
    if (peak !== undefined) {
      // A multiplication and an addition.
      const seconds = (batch * billions * area * 2e9 * model.passes) / (peak * 1e12 * gpuShare);
      return { seconds, nodeId: node.id, device: 'gpu', speed: peak };
    }
    const local = node.access.type === 'local' && localCpus !== undefined;
    const cores = Math.max(
      1,
      Math.floor(local ? localCpus / localRanks : node.placement.cpus / processesOn(lab, node)),
    );
    // More local ranks than cores take turns.
    const turns = local ? Math.max(1, localRanks / localCpus) : 1;
    const image =
      billions * (coreSeconds.shrinking * area + coreSeconds.fixed) * (model.passes / fittedPasses);
    const seconds =
      (turns * (batch * image)) / cores ** coreExponent + turns * optimizerSeconds * model.parameters;
    return { seconds, nodeId: node.id, device: 'cpu', speed: cores };
  });
  return each.reduce<ComputeAssumption | undefined>(
    (slowest, one) => (slowest === undefined || one.seconds > slowest.seconds ? one : slowest),
    undefined,
  );
}

/** Whether ranks compute on GPUs: all of them, as a rank that does not is far slower. */
export const computesOnGpus = (lab: LabDocument): boolean =>
  trainingNodes(asReached(lab)).every((node) => gpuPeakOf(node) !== undefined);

/** A real node's GPUs. Local nodes run on this computer, whose GPUs are not drawn. */
function gpuPeakOf(node: LabNode): number | undefined {
  const { flavour } = node.placement;
  if (node.kind !== 'gpu' || node.access.type === 'local' || flavour.gpuCount === 0) return undefined;
  return gpuPeaks.find(([name]) => name.test(flavour.gpuModel))?.[1] ?? defaultPeak;
}

/**
 * Labs with the same key have the same compute time. The ranks are part of it: local ones share this computer's
 * cores.
 */
export function computeKey(lab: LabDocument): string {
  const { experiment } = lab;
  const ranks = rankCount(lab);
  const kinds = trainingNodes(asReached(lab)).map(({ kind, access, placement }) =>
    access.type === 'local' ? 'local' : [kind, placement.flavour.gpuModel, placement.cpus].join(' '),
  );
  const { amp, channelsLast, accumulate, inputChannels, freeze, syncBatchNorm } = settingsOf(experiment);
  return JSON.stringify([
    [amp, channelsLast, accumulate, inputChannels, freeze, syncBatchNorm],
    experiment.architecture,
    imageSizeOf(experiment.data),
    imagesOfStep(experiment.batchSize, Math.max(1, ranks), accumulate),
    ranks,
    kinds.sort(),
  ]);
}
