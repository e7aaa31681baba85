import { expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import { newSlurmTarget } from '../../../shared/lab/where.ts';
import type { ReadyNode } from '../../provision/index.ts';
import { checkDiskOf, checkOwnDisk, checkpointBytes, nextBytes, withFreeSpace } from './disk-needs.ts';
import { withSharedSpace } from './shared-space.ts';

const mib = 1024 ** 2;
const lab = { ...emptyLab('lab', 'lab') };
const resnet = { ...lab, experiment: { ...lab.experiment, architecture: 'resnet50' } };
/** The fields that the check reads. */
const node = (name: string, diskFreeBytes: number, type: 'ssh' | 'local' = 'ssh'): ReadyNode =>
  ({
    node: { name, access: { type } },
    facts: { home: '/home/anna', diskFreeBytes },
    processes: 1,
  }) as Partial<ReadyNode> as ReadyNode;

it('fault 23: a node without space for two checkpoints and logs is reported before the run, with both sizes', () => {
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
  // A kept checkpoint is one more file.
  const kept = { ...resnet, experiment: { ...resnet.experiment, keepEvery: 5 } };
  expect(() => checkDiskOf([node('anna', needed)], resnet)).not.toThrow();
  expect(() => checkDiskOf([node('anna', needed)], kept)).toThrow(
    expect.objectContaining({ code: 'node_disk_full', where: 'anna' }),
  );
  expect(() => checkDiskOf([node('anna', needed + checkpointBytes(kept))], kept)).not.toThrow();
  expect(nextBytes(kept, true) - nextBytes(resnet, true)).toBe(checkpointBytes(kept));
  expect(() => checkDiskOf([node('anna', 10_000 * mib), node('ben', 10 * mib)], resnet)).toThrow(
    expect.objectContaining({ code: 'node_disk_full', where: 'ben' }),
  );
});

it('fault 23: free space is read again after data and software were installed, else taken from the facts', async () => {
  const { signal } = new AbortController();
  const answering = (stdout: string) => () =>
    Promise.resolve({ exec: () => Promise.resolve({ code: 0, signal: null, stdout, stderr: '' }) });
  const before = node('anna', 10_000 * mib);
  const after = await withFreeSpace(before, answering('102400\n'), signal);
  expect(after.facts.diskFreeBytes).toBe(100 * mib);
  expect(() => checkDiskOf([after], resnet)).toThrow(expect.objectContaining({ code: 'node_disk_full' }));
  expect(await withFreeSpace(before, answering('df: not found'), signal)).toBe(before);
  expect(await withFreeSpace(before, () => Promise.reject(new Error('gone')), signal)).toBe(before);
  await expect(
    withFreeSpace(before, () => Promise.reject(new Error('gone')), AbortSignal.abort()),
  ).rejects.toThrow();
});

it('fault 23: the sizes for local nodes add up, as they share a disk', () => {
  const nodes = ['a', 'b', 'c'].map((name) => node(name, 3 * 64 * mib - 1, 'local'));
  expect(() => checkDiskOf(nodes.slice(1), lab)).toThrow(expect.objectContaining({ code: 'node_disk_full' }));
  const unknown = { ...lab, experiment: { ...lab.experiment, architecture: 'of-my-own' } };
  expect(() => checkDiskOf(nodes.slice(0, 2), unknown)).not.toThrow();
  expect(() => checkDiskOf(nodes, unknown)).toThrow(
    expect.objectContaining({
      where: 'c',
      params: expect.objectContaining({ needed: 3 * 64 * mib }) as unknown,
    }),
  );
});

it('fault 24: this computer needs space for the lines, logs and downloaded checkpoints', async () => {
  const nodes = [{ processes: 2 }, { processes: 1 }];
  const check = (free: number, fetchBytes: number): Promise<void> =>
    checkOwnDisk('/data/runs/1', nodes, resnet, fetchBytes, () => Promise.resolve(free));
  const lines = 3 * 16 * mib;
  const needed = lines + 2 * checkpointBytes(resnet);
  await check(needed, 1000 * mib);
  await expect(check(needed - 1, 1000 * mib)).rejects.toMatchObject({
    code: 'local_disk_low',
    params: { path: '/data/runs/1', needed, free: needed - 1 },
  });
  // A checkpoint that is too large for automatic download takes no local space.
  await check(lines, 100 * mib);
});

it('quota exceeded: on a cluster the needs of all nodes add up, within what the user’s quota leaves', async () => {
  const cluster = {
    ...lab,
    experiment: { ...lab.experiment, architecture: 'of-my-own', where: newSlurmTarget() },
  };
  const nodes = ['a', 'b', 'c'].map((name) => node(name, 10_000 * mib));
  const asked: string[] = [];
  const answering = (used: number, limit: number) => () =>
    Promise.resolve({
      exec: (script: string) => {
        asked.push(script);
        const stdout = script.includes('quota') ? `nfs:/home ${used} 0 ${limit} 0 10 0 0 0\n` : '9999999\n';
        return Promise.resolve({ code: 0, signal: null, stdout, stderr: '' });
      },
    });
  const { signal } = new AbortController();
  const needed = 3 * 64 * 1024;
  const fits = await withSharedSpace(nodes, answering(1000, 1000 + needed), signal);
  expect(asked).toHaveLength(2);
  expect(() => checkDiskOf(fits, cluster)).not.toThrow();
  const tight = await withSharedSpace(nodes, answering(1000, 999 + needed), signal);
  expect(() => checkDiskOf(tight, cluster)).toThrow(
    expect.objectContaining({ code: 'node_disk_full', where: 'c' }),
  );
  const over = await withSharedSpace(nodes, answering(5000, 1000), signal);
  expect(() => checkDiskOf(over, cluster)).toThrow(
    expect.objectContaining({ code: 'node_disk_full', where: 'a' }),
  );
});
