import { expect, it } from 'vitest';
import { emptyLab } from '../../shared/lab.ts';
import type { ReadyNode } from '../provision/index.ts';
import { checkDiskOf, checkpointBytes } from './disk-needs.ts';

const mib = 1024 ** 2;
const lab = { ...emptyLab('lab', 'lab') };
const resnet = { ...lab, experiment: { ...lab.experiment, architecture: 'resnet50' } };
/** What is asked for here. */
const node = (name: string, diskFreeBytes: number): ReadyNode =>
  ({
    node: { name },
    facts: { home: '/home/anna', diskFreeBytes },
    processes: 1,
  }) as Partial<ReadyNode> as ReadyNode;

it('fault 23: a node without room for two checkpoints and logs is named before the run, with both numbers', () => {
  expect(checkpointBytes(resnet)).toBe(25_557_032 * 8);
  expect(() => checkDiskOf([node('anna', 10_000 * mib), node('ben', 100 * mib)], resnet)).not.toThrow();
  const needed = 64 * mib + 3 * 25_557_032 * 8;
  expect(() => checkDiskOf([node('anna', 500 * mib), node('ben', 10_000 * mib)], resnet)).toThrow(
    expect.objectContaining({
      code: 'node_disk_full',
      where: 'anna',
      params: { path: '/home/anna/.ringlab', needed, free: 500 * mib },
    }),
  );
  expect(() => checkDiskOf([node('anna', 10_000 * mib), node('ben', 10 * mib)], resnet)).toThrow(
    expect.objectContaining({ code: 'node_disk_full', where: 'ben' }),
  );
});
