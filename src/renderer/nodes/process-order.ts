/** Sorts the processes on a GPU, the heaviest first. Pure functions. */
import type { GpuProcess, Sample } from './sample.ts';

export const processColumns = ['memory', 'cpu'] as const;
export type ProcessColumn = (typeof processColumns)[number];

export interface ListedProcess extends GpuProcess {
  /** 100 is one core; only available for the run's own ranks. */
  readonly cpu: number | undefined;
}

/** Unknown values come last; equal ones by ascending process id. */
export function processesOf(
  sample: Sample,
  processes: readonly GpuProcess[],
  by: ProcessColumn,
): ListedProcess[] {
  return processes
    .map((one) => ({ ...one, cpu: sample.processes.find(({ pid }) => pid === one.pid)?.cpu }))
    .sort((a, b) => (b[by] ?? -1) - (a[by] ?? -1) || a.pid - b.pid);
}
