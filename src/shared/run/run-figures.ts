/** A run's key figures for comparison, and one run relative to another. */
import * as z from 'zod';
import { metricNumber, type MetricLine } from '../metrics/metrics.ts';
import { ownGpus, watchedPids } from '../metrics/own-gpus.ts';

export const RunFigures = z.object({
  runId: z.string(),
  /**
   * Means over the newest steps of rank 0, in seconds; absent where there were too few. Means and not medians, since
   * with local steps most steps wait for no link and a few for all.
   */
  secondsPerStep: z.number().optional(),
  dataSeconds: z.number().optional(),
  computeSeconds: z.number().optional(),
  communicationSeconds: z.number().optional(),
  /** All ranks together. */
  imagesPerSecond: z.number().optional(),
  /** Sent by rank 0. */
  bytesPerStep: z.number().optional(),
  /** Percent, the mean of the ranks' GPUs on all nodes over the newest samples. */
  gpuPercent: z.number().optional(),
  /** The most that one of these GPUs held. */
  gpuMemoryBytes: z.number().optional(),
  /** Percent of all processors, the mean of all nodes. */
  cpuPercent: z.number().optional(),
});
export type RunFigures = z.infer<typeof RunFigures>;

/** The first steps of an attempt warm up caches and broadcast parameters. */
const warmSteps = 2;

export function median(values: readonly number[]): number | undefined {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle];
  if (high === undefined) return undefined;
  return sorted.length % 2 === 1 ? high : (high + (sorted[middle - 1] ?? high)) / 2;
}

function mean(values: readonly number[]): number | undefined {
  const finite = values.filter(Number.isFinite);
  return finite.length === 0 ? undefined : finite.reduce((sum, value) => sum + value, 0) / finite.length;
}

/** The first step of an attempt that is judged. */
export const firstJudged = (start: MetricLine | undefined): number =>
  (metricNumber(start?.start_step) ?? 0) + warmSteps;

/**
 * @param lines rank 0's `start` and `step` lines of one attempt; of a run that went on with fewer ranks its last `membership` line, and the steps of who has rank 0's part since
 * @param samples the nodes' newest samples
 */
export function figuresOf(
  runId: string,
  lines: readonly MetricLine[],
  samples: readonly MetricLine[] = [],
): RunFigures {
  const start = lines.findLast((line) => line.kind === 'start');
  const fewer = lines.findLast((line) => line.kind === 'membership');
  const from = Math.max(firstJudged(start), metricNumber(fewer?.step) ?? 0);
  const steps = lines.filter((line) => line.kind === 'step' && (metricNumber(line.step) ?? 0) >= from);
  const of = (field: string): number | undefined =>
    mean(steps.flatMap((line) => metricNumber(line[field]) ?? []));
  const secondsPerStep = of('step_seconds');
  const batch = metricNumber((fewer ?? start)?.batch_size);
  const figures: { [K in keyof RunFigures]: RunFigures[K] | undefined } = {
    runId,
    secondsPerStep,
    dataSeconds: of('data_seconds'),
    computeSeconds: of('compute_seconds'),
    communicationSeconds: of('communication_seconds'),
    // All ranks end a step together, so that the global batch is processed in rank 0's time.
    imagesPerSecond:
      batch === undefined || secondsPerStep === undefined || secondsPerStep <= 0
        ? undefined
        : batch / secondsPerStep,
    bytesPerStep: of('bytes_sent'),
    ...useOf(samples),
  };
  return RunFigures.parse(figures);
}

type Use = Record<'gpuPercent' | 'gpuMemoryBytes' | 'cpuPercent', number | undefined>;

function useOf(samples: readonly MetricLine[]): Use {
  // A sample without a rank was taken before its start or after its end.
  const training = samples.filter((line) => watchedPids(line).length > 0);
  const gpus = training.flatMap(ownGpus);
  const memory = gpus.flatMap((gpu) => gpu.memory_used_bytes ?? []);
  return {
    gpuPercent: mean(gpus.flatMap((gpu) => gpu.utilization_percent ?? [])),
    gpuMemoryBytes: memory.length === 0 ? undefined : memory.reduce((a, b) => Math.max(a, b)),
    cpuPercent: mean(training.flatMap((line) => metricNumber(line.cpu_percent) ?? [])),
  };
}

export interface Measured {
  readonly figures: RunFigures | undefined;
  readonly worldSize: number;
}

/**
 * Speed-up in images per second, and scaling efficiency: the share of the added ranks that it makes use of (1 is
 * all). Without more or fewer ranks nothing was scaled, and the efficiency is absent.
 */
export function against(
  run: Measured,
  baseline: Measured,
): { readonly speedUp: number; readonly efficiency?: number } | undefined {
  const [rate, baselineRate] = [run.figures?.imagesPerSecond, baseline.figures?.imagesPerSecond];
  if (rate === undefined || baselineRate === undefined || baselineRate <= 0) return undefined;
  const speedUp = rate / baselineRate;
  const more = Math.max(1, run.worldSize) / Math.max(1, baseline.worldSize);
  return more === 1 ? { speedUp } : { speedUp, efficiency: speedUp / more };
}
