/** Whose processes are on a GPU, the heaviest first. Pure. */
import type { GpuProcess, Sample } from './sample.ts';

export const processColumns = ['memory', 'cpu'] as const;
export type ProcessColumn = (typeof processColumns)[number];

export interface ListedProcess extends GpuProcess {
  /** 100 is one core; known of the run's own ranks alone. */
  readonly cpu: number | undefined;
}

/** What is not known comes last; where two are alike, the lower process id first. */
export function processesOf(
  sample: Sample,
  processes: readonly GpuProcess[],
  by: ProcessColumn,
): ListedProcess[] {
  return processes
    .map((one) => ({ ...one, cpu: sample.processes.find(({ pid }) => pid === one.pid)?.cpu }))
    .sort((a, b) => (b[by] ?? -1) - (a[by] ?? -1) || a.pid - b.pid);
}
