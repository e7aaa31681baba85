/**
 * Which of a machine's GPUs a run computes on. A monitor samples all of them, also those that only other users' processes
 * keep busy. Pure functions.
 */
import { metricNumber, rankSource, type MetricLine, type Source } from '../../shared/metrics/metrics.ts';
import type { GpuSample, Sample } from './sample.ts';

/** What a rank reported when it started. */
export interface RankDevice {
  readonly pid: number;
  /** From `first` on; none if it computes on the CPU. */
  readonly first: number;
  readonly count: number;
}

export function readDevice(start: MetricLine): RankDevice | undefined {
  const pid = metricNumber(start.pid);
  if (pid === undefined || typeof start.device !== 'string') return undefined;
  const [kind, index = '0'] = start.device.split(':');
  if (kind !== 'cuda') return { pid, first: 0, count: 0 };
  return { pid, first: Number(index), count: Math.max(1, metricNumber(start.replicas) ?? 1) };
}

/** Indices of GPUs; undefined if that is unknown: then all count. */
export type OwnGpus = ReadonlySet<number> | undefined;

/** Of a sample: the ranks' processes and their descendants, in which the work of an agent or a supervisor is. */
const pidsOf = ({ processes }: Sample): number[] =>
  processes.flatMap(({ pid, descendants }) => [pid, ...descendants]);

/**
 * A rank's process on a GPU is certain. Inside a container processes cannot be seen: then the device that the rank itself
 * reported is used.
 * @param seen GPUs with a rank's process on them, in any sample so far
 */
export function ownGpus(
  last: Sample | undefined,
  seen: ReadonlySet<number>,
  devices: ReadonlyMap<number, RankDevice>,
): OwnGpus {
  if (seen.size > 0) return seen;
  if (last === undefined) return undefined;
  const ranks = pidsOf(last).flatMap((pid) => devices.get(pid) ?? []);
  if (ranks.length === 0) return undefined;
  return new Set(
    last.gpus
      .map(({ index }) => index)
      .filter((index) => ranks.some(({ first, count }) => index >= first && index < first + count)),
  );
}

/** Of one sample: the GPUs that a watched process computes on. */
export function gpusWithRanks(sample: Sample): number[] {
  const ranks = new Set(pidsOf(sample));
  return sample.gpus
    .filter(({ processes }) => processes.some(({ pid }) => ranks.has(pid)))
    .map(({ index }) => index);
}

export const ownOf = (sample: Sample, own: OwnGpus): readonly GpuSample[] =>
  own === undefined ? sample.gpus : sample.gpus.filter(({ index }) => own.has(index));

/** The run's GPUs for a picture of its past: one that was lost stays where a rank's process was seen on it. */
export const gpuIndices = ({ samples, own }: { samples: readonly Sample[]; own: OwnGpus }): number[] =>
  [...(own ?? samples.at(-1)?.gpus.map(({ index }) => index) ?? [])].sort((a, b) => a - b);

/**
 * The GPUs that one rank computes on: that its process is on, else that it reported. An own script's rank reports none: the only one
 * of its node has all of the run's, and several have one each in the order of their local ranks, as `LOCAL_RANK` is used, where there are as many.
 * @param together the ranks of the node
 */
export function gpusOfRank(
  rank: number,
  together: readonly { readonly rank: number; readonly localRank: number }[],
  node: { samples: readonly Sample[]; own: OwnGpus; devices: ReadonlyMap<Source, RankDevice> },
): readonly GpuSample[] {
  const last = node.samples.at(-1);
  if (last === undefined) return [];
  const device = node.devices.get(rankSource(rank));
  if (device !== undefined) {
    const { pid, first, count } = device;
    const seen = last.gpus.filter(({ processes }) => processes.some((one) => one.pid === pid));
    return seen.length > 0 ? seen : last.gpus.filter(({ index }) => index >= first && index < first + count);
  }
  const own = ownOf(last, node.own);
  if (together.length < 2) return own;
  if (together.length !== own.length) return [];
  const place = together.toSorted((a, b) => a.localRank - b.localRank).findIndex((one) => one.rank === rank);
  return own.toSorted((a, b) => a.index - b.index).filter((_, index) => index === place);
}
