/** Summaries of runs, locks and bundles for lists. */
import {
  summaryOf,
  type BundleSummary,
  type LockSummary,
  type RunSummary,
} from '../../shared/contract/api.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import type { Provisioner } from '../provision/index.ts';

export const summarizeRun = (run: RunRecord): RunSummary =>
  summaryOf(run, new Set(run.ranks.map((rank) => rank.nodeId)).size);

export const summarizeLock = (lock: Awaited<ReturnType<Provisioner['lock']>>[number]): LockSummary => {
  const libtorch = lock.packages.find(({ name }) => name === 'libtorch');
  return {
    platform: lock.platform,
    cuda: lock.cuda ?? null,
    channel: lock.channel,
    libtorch: libtorch === undefined ? null : `${libtorch.version} ${libtorch.build}`,
    packages: lock.packages.length,
    bytes: lock.packages.reduce((sum, { size = 0 }) => sum + size, 0),
  };
};

export const summarizeBundle = ({
  folder,
  index,
}: Awaited<ReturnType<Provisioner['bundle']>>): BundleSummary => {
  const packages = index.apt.flatMap((part) => part.packages);
  return {
    folder,
    systems: index.apt.map(({ system, arch }) => `${system} ${arch}`),
    packages: packages.length,
    bytes: packages.reduce((sum, { size }) => sum + size, 0),
    conda: Object.keys(index.conda).length,
    micromamba: Object.keys(index.micromamba),
    trainers: index.trainers.length,
    wheels: index.wheels.map(({ arch, python, wheels }) => ({
      arch,
      python,
      torch: wheels.find(({ name }) => name === 'torch')?.version ?? null,
      packages: new Set(wheels.map(({ name }) => name)).size,
      bytes: wheels.reduce((sum, { size }) => sum + size, 0),
    })),
    pythons: Object.keys(index.pythons).map((path) => /cpython-(3\.\d+\.\d+)/.exec(path)?.[1] ?? path),
  };
};
