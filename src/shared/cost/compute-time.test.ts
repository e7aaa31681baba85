import { expect, it } from 'vitest';
import { chain } from '../lab/topology.fixture.ts';
import { estimate, isProblem } from './estimate.ts';

/** TFLOP/s that a node with this model is taken to have. */
function speedOf(gpuModel: string): number | undefined {
  const lab = chain(2);
  const nodes = lab.nodes.map((node) => ({
    ...node,
    kind: 'gpu' as const,
    access: { type: 'ssh', host: node.id, port: 22, user: 'u', authentication: { method: 'agent' } } as const,
    placement: { ...node.placement, flavour: { name: 'g', gpuModel, gpuCount: 1 } },
  }));
  const found = estimate({ lab: { ...lab, nodes } }, 'allreduce');
  return isProblem(found) ? undefined : found.assumed?.speed;
}

it.each([
  ['NVIDIA A100-SXM4-80GB', 19.5],
  ['NVIDIA A800-SXM4-80GB', 19.5],
  ['NVIDIA H800', 67],
  ['NVIDIA GH200 480GB', 67],
  ['NVIDIA H20', 44],
  ['NVIDIA L40S', 91],
  ['NVIDIA L4', 30.3],
  ['NVIDIA A10G', 31.2],
  ['Tesla T4', 8.1],
  ['nvidia_a100_80gb', 19.5],
  ['rtx3080ti', 29.8],
  ['NVIDIA GeForce RTX 5090', 104.8],
  ['NVIDIA GeForce RTX 4090 D', 82.6],
  // No A100, P100, T4 and L40.
  ['NVIDIA RTX A1000', 10],
  ['Quadro P1000', 10],
  ['NVIDIA T400', 10],
  ['', 10],
])('takes the speed of %s from its name', (model, speed) => {
  expect(speedOf(model)).toBe(speed);
});
