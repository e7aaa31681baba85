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
  /** Of each link and direction; default 0. */
  readonly delayMs?: number;
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
  // Of 30 November 2026, beside other work, those that stream of 1 December: next to nothing is computed, and the delays are what counts.
  ...[
    cell('ring', 3, 1000, 'allreduce', 'squeezenet1_1', [0.0582, 1.0623, 3_880_688]),
    cell('ring', 3, 1000, 'fp16', 'squeezenet1_1', [0.0611, 1.2826, 1_940_352]),
    cell('ring', 3, 1000, 'powersgd:2', 'squeezenet1_1', [0.0524, 3.2711, 109_689]),
    cell('ring', 3, 1000, 'topk:0.01', 'squeezenet1_1', [0.0398, 0.8537, 58_376]),
    cell('ring', 3, 1000, 'local:1,stream=0.156,overlap=1', 'squeezenet1_1', [0.0359, 0.6046, 18_940]),
    cell('ring', 3, 1000, 'local:4,stream=0.156,overlap=4', 'squeezenet1_1', [0.0342, 0.1477, 4144]),
    cell('ring', 3, 1000, 'local:4,8bit', 'squeezenet1_1', [0.0436, 0.5692, 218_222]),
  ].map((one) => ({ ...one, delayMs: 100 })),
  ...[
    cell('star', 5, 1000, 'allreduce', 'squeezenet1_1', [0.0814, 2.069, 4_656_838]),
    cell('star', 5, 1000, 'local:1,stream=0.156,overlap=1', 'squeezenet1_1', [0.0558, 1.0098, 22_744]),
  ].map((one) => ({ ...one, delayMs: 50 })),
];
