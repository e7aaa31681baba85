/** Computes a node's utilisation from one sample, in percent, 0 to 100. */
import { ownOf, type OwnGpus } from './own-gpus.ts';
import { processCpu, type Sample } from './sample.ts';

/** The mean of its GPUs that the run computes on; undefined if none reports it. */
export function gpuShare(sample: Sample, own: OwnGpus): number | undefined {
  const known = ownOf(sample, own).flatMap((gpu) => (gpu.utilisation === undefined ? [] : [gpu.utilisation]));
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length;
}

/** On a machine that several nodes share, a node's part is that of its own processes. */
export function cpuShare(sample: Sample): number | undefined {
  const own = processCpu(sample);
  return own === undefined || sample.cpus === undefined ? sample.cpu : Math.min(100, own / sample.cpus);
}
