/**
 * Which of a machine's GPUs a run computes on: a monitor samples them all, and those that somebody else keeps busy say nothing
 * of the run. Pure.
 */
import { metricNumber, type MetricLine } from '../../shared/metrics/metrics.ts';
import type { GpuSample, Sample } from './sample.ts';

/** What a rank said when it started. */
export interface RankDevice {
  readonly pid: number;
  /** From `first` on; none where it computes on the CPU. */
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

/** Indices of GPUs; undefined where that is unknown, and all count. */
export type OwnGpus = ReadonlySet<number> | undefined;

/**
 * A rank's process that is seen on a GPU is certain. In a container processes cannot be seen there: then the device that the
 * rank itself named is taken, in the order that the monitor lists them.
 * @param seen GPUs with a rank's process on them, in any sample so far
 */
export function ownGpus(
  last: Sample | undefined,
  seen: ReadonlySet<number>,
  devices: ReadonlyMap<number, RankDevice>,
): OwnGpus {
  if (seen.size > 0) return seen;
  const ranks = last?.processes.flatMap(({ pid }) => devices.get(pid) ?? []) ?? [];
  if (last === undefined || ranks.length === 0) return undefined;
  return new Set(
    ranks.flatMap(({ first, count }) => last.gpus.slice(first, first + count).map(({ index }) => index)),
  );
}

/** Of one sample: the GPUs that a watched process computes on. */
export const gpusWithRanks = ({ gpus, processes }: Sample): number[] =>
  gpus
    .filter((gpu) => gpu.processes.some(({ pid }) => processes.some((rank) => rank.pid === pid)))
    .map(({ index }) => index);

export const ownOf = (sample: Sample, own: OwnGpus): readonly GpuSample[] =>
  own === undefined ? sample.gpus : sample.gpus.filter(({ index }) => own.has(index));
