import { describe, expect, it } from 'vitest';
import type { MetricLine, Point } from '../../shared/metrics/metrics.ts';
import { gpuShare } from './busy.ts';
import { gpuIndices, ownOf } from './own-gpus.ts';
import { createSampleFeed, type SampleFeed } from './sample-feed.ts';

const line = (kind: string, seq: number, more: object): MetricLine => ({ v: 1, seq, t: seq, kind, ...more });
const gpu = (index: number, pids: readonly number[], use: number): object => ({
  index,
  name: 'G',
  utilization_percent: use,
  processes: pids.map((pid) => ({ pid })),
});
const sample = (
  seq: number,
  gpus: readonly object[],
  ranks: readonly number[] = [41],
  node = 'a',
  descendants?: readonly number[],
): Point => ({
  source: `monitor-${node}`,
  line: line('sample', seq, { gpus, processes: ranks.map((pid) => ({ pid, descendants })), network: [] }),
});
const start = (pid: number, device: string, more: object = {}, rank = 0): Point => ({
  source: `rank-${rank}`,
  line: line('start', 0, { pid, device, ...more }),
});

async function feedOf(
  points: readonly Point[],
  ranks?: () => readonly { rank: number; nodeId: string }[] | undefined,
): Promise<SampleFeed> {
  const feed = createSampleFeed({
    api: {
      // The schema of `metrics.lines` responses is that of points.
      call: ((_: string, { kinds }: { kinds: string[] }) =>
        Promise.resolve(points.filter(({ line: one }) => kinds.includes(one.kind)))) as never,
    },
    runId: 'r',
    ranks: ranks ?? (() => undefined),
    subscribe: () => () => undefined,
  });
  await new Promise((resolve) => setTimeout(resolve, 0));
  return feed;
}

const indices = (feed: SampleFeed, node = 'a'): number[] => {
  const { samples, own } = feed.of(node);
  const last = samples.at(-1);
  return last === undefined ? [] : ownOf(last, own).map(({ index }) => index);
};

describe('the GPUs of a run', () => {
  it('are those with a process of its ranks on them, despite other users’ processes', async () => {
    const feed = await feedOf([
      sample(1, [gpu(0, [7], 90), gpu(1, [41, 7], 20), gpu(2, [], 0)]),
      // Between two steps, or at the end, a process may be on no GPU.
      sample(2, [gpu(0, [7], 90), gpu(1, [], 30), gpu(2, [], 0)]),
    ]);
    expect(indices(feed)).toEqual([1]);
    const { samples, own } = feed.of('a');
    const last = samples.at(-1);
    expect(last === undefined ? undefined : gpuShare(last, own)).toBe(30);
  });

  it('are those reported by the ranks if a container hides the processes', async () => {
    const gpus = [gpu(0, [], 90), gpu(1, [], 20), gpu(2, [], 10)];
    expect(indices(await feedOf([start(41, 'cuda:1'), start(9, 'cuda:2'), sample(1, gpus)]))).toEqual([1]);
    expect(indices(await feedOf([start(41, 'cuda:0', { replicas: 2 }), sample(1, gpus)]))).toEqual([0, 1]);
  });

  it('of each rank are named by its newest start', async () => {
    const feed = await feedOf([
      start(41, 'cuda:0'),
      start(42, 'cuda:1', {}, 1),
      start(43, 'cuda:1'),
      sample(1, []),
    ]);
    expect(feed.of('a').devices).toEqual(
      new Map([
        ['rank-0', { pid: 43, first: 1, count: 1 }],
        ['rank-1', { pid: 42, first: 1, count: 1 }],
      ]),
    );
  });

  it('are those of the workers of an agent, and of the trainer that a supervisor started', async () => {
    const seen = [gpu(0, [7], 90), gpu(1, [101], 20)];
    expect(indices(await feedOf([sample(1, seen, [100], 'a', [101, 102])]))).toEqual([1]);
    const hidden = [gpu(0, [], 90), gpu(1, [], 20)];
    expect(indices(await feedOf([start(101, 'cuda:1'), sample(1, hidden, [100], 'a', [101])]))).toEqual([1]);
  });

  it('keep their numbers where one is lost, and the lost one its past', async () => {
    const all = [0, 1, 2].map((index) => gpu(index, [41], 90));
    const feed = await feedOf([sample(1, all), sample(2, all.slice(1))]);
    expect(gpuIndices(feed.of('a'))).toEqual([0, 1, 2]);
    const hidden = [1, 2].map((index) => gpu(index, [], 90));
    expect(gpuIndices((await feedOf([start(41, 'cuda:1'), sample(1, hidden)])).of('a'))).toEqual([1]);
    expect(gpuIndices((await feedOf([sample(1, hidden)])).of('a'))).toEqual([1, 2]);
  });

  it('are none if its ranks compute on the CPU, and all without any report', async () => {
    const gpus = [gpu(0, [7], 90), gpu(1, [], 20)];
    expect(indices(await feedOf([start(41, 'cpu'), sample(1, gpus)]))).toEqual([]);
    expect(indices(await feedOf([sample(1, gpus)]))).toEqual([0, 1]);
  });

  it('are those of its own ranks, as pods count their processes alike', async () => {
    const ranks = [0, 1, 2, 3].map((rank) => ({ rank, nodeId: rank < 2 ? 'a' : 'b' }));
    const gpus = [gpu(0, [], 90), gpu(1, [], 10)];
    const gpuPods = await feedOf(
      [
        start(30, 'cuda:0', {}, 0),
        start(31, 'cuda:1', {}, 1),
        start(31, 'cuda:0', {}, 2),
        start(32, 'cuda:1', {}, 3),
        sample(1, gpus, [30, 31], 'a'),
        sample(1, gpus, [31, 32], 'b'),
      ],
      () => ranks,
    );
    expect([indices(gpuPods, 'a'), indices(gpuPods, 'b')]).toEqual([
      [0, 1],
      [0, 1],
    ]);
    const cpuPod = await feedOf(
      [
        start(31, 'cuda:0', {}, 0),
        start(31, 'cpu', {}, 2),
        sample(1, gpus, [31], 'a'),
        sample(1, gpus, [31], 'b'),
      ],
      () => ranks,
    );
    expect([indices(cpuPod, 'a'), indices(cpuPod, 'b')]).toEqual([[0], []]);
  });
});
