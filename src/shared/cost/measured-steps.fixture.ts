/**
 * Measured steps: native/bench/step_cells.py on two cores, one namespace and one rank for each node, Reno, 16
 * images of 32 px a rank. `computeSeconds` was measured with the same ranks over unshaped links, before each cell.
 */
export interface MeasuredStep {
  readonly shape: 'chain' | 'star' | 'ring';
  readonly nodes: number;
  readonly mbps: number;
  readonly sync: string;
  readonly architecture: string;
  readonly computeSeconds: number;
  readonly secondsPerStep: number;
  readonly bytesPerStep: number;
}

const cell = (
  shape: MeasuredStep['shape'],
  nodes: number,
  mbps: number,
  sync: string,
  architecture: string,
  [computeSeconds, secondsPerStep, bytesPerStep]: readonly [number, number, number],
): MeasuredStep => ({ shape, nodes, mbps, sync, architecture, computeSeconds, secondsPerStep, bytesPerStep });

export const measuredCpus = 2;
export const measuredBatch = 16;
export const measuredSteps: readonly MeasuredStep[] = [
  cell('chain', 3, 10, 'allreduce', 'squeezenet1_1', [0.0437, 3.4072, 3_880_682]),
  cell('chain', 3, 100, 'allreduce', 'resnet18', [0.2868, 5.1871, 59_635_433]),
  cell('star', 4, 100, 'allreduce', 'resnet18', [0.289, 5.7967, 67_089_864]),
  cell('ring', 8, 100, 'allreduce', 'resnet18', [0.6616, 6.8764, 78_271_508]),
  cell('ring', 4, 1000, 'allreduce', 'resnet18', [0.3295, 0.7382, 67_089_864]),
  cell('chain', 3, 10, 'powersgd:2', 'resnet18', [0.2253, 0.6812, 440_008]),
  cell('star', 4, 10, 'powersgd:2', 'resnet18', [0.3927, 0.8975, 495_012]),
  cell('ring', 8, 10, 'powersgd:2', 'squeezenet1_1', [0.0836, 0.232, 143_962]),
  cell('chain', 8, 100, 'powersgd:2', 'resnet18', [0.6246, 1.1473, 577_514]),
  cell('star', 3, 1000, 'powersgd:2', 'resnet18', [0.2228, 0.493, 440_008]),
];
