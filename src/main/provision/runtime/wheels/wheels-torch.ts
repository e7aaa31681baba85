/**
 * Which PyTorch a node can run: by the CUDA version of its wheels on PyPI, by its driver, and by Python. The plain wheel
 * for x86-64 Linux is the CUDA build; its CUDA libraries are the `nvidia-*` wheels that it requires.
 */
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../../shared/node/provision.ts';
import { compareVersions } from '../../node/versions.ts';

interface TorchLine {
  /** Major and minor number. */
  readonly torch: string;
  /** The major CUDA version of PyPI's wheels: a driver of the same major version runs them. */
  readonly cuda: number;
  /** The lowest compute capability of a GPU that PyPI's wheels have code for. */
  readonly capability: number;
  /** The oldest and the newest minor version of Python 3 that has a wheel on both architectures. */
  readonly python: readonly [number, number];
}

/**
 * Sources: `Requires-Dist: nvidia-cuda-runtime-cu*` or `cuda-toolkit` in the wheels' own metadata (2.0: CUDA 11.7; 2.1 to
 * 2.4: 12.1; 2.5, 2.6: 12.4; 2.7: 12.6; 2.8 to 2.10: 12.8; 2.11 to 2.13: 13.0), and the names of the wheels on PyPI, both
 * read on 2026-11-23. Drivers: NVIDIA's CUDA release notes, 'CUDA minor version compatibility' (11: driver 450.80, 12: 525.60,
 * 13: 580.65). Capabilities: TORCH_CUDA_ARCH_LIST of PyTorch's build scripts (cu128 from 7.0, cu130 from 7.5). A line that is newer than the last is taken as the last.
 */
const lines: readonly TorchLine[] = [
  { torch: '2.0', cuda: 11, capability: 3.7, python: [8, 11] },
  { torch: '2.1', cuda: 12, capability: 5, python: [8, 11] },
  { torch: '2.2', cuda: 12, capability: 5, python: [8, 12] },
  { torch: '2.3', cuda: 12, capability: 5, python: [8, 12] },
  { torch: '2.4', cuda: 12, capability: 5, python: [8, 12] },
  { torch: '2.5', cuda: 12, capability: 5, python: [9, 12] },
  { torch: '2.6', cuda: 12, capability: 5, python: [9, 13] },
  { torch: '2.7', cuda: 12, capability: 5, python: [9, 13] },
  { torch: '2.8', cuda: 12, capability: 7, python: [9, 13] },
  { torch: '2.9', cuda: 12, capability: 7, python: [10, 14] },
  { torch: '2.10', cuda: 12, capability: 7, python: [10, 14] },
  { torch: '2.11', cuda: 13, capability: 7.5, python: [10, 14] },
  { torch: '2.12', cuda: 13, capability: 7.5, python: [10, 14] },
  { torch: '2.13', cuda: 13, capability: 7.5, python: [10, 14] },
  { torch: '2.14', cuda: 13, capability: 7.5, python: [10, 14] },
  { torch: '2.15', cuda: 13, capability: 7.5, python: [11, 15] },
];

/**
 * The newest line that the native trainer has been compiled and run with. A newer one is used only where the experiment
 * names it: its C++ interface may differ.
 */
const newestForTrainer = '2.11';

/** Older ones have no wheels of PyTorch's newest lines. */
const oldestPython = 10;

const lineOf = (version: string): TorchLine | undefined =>
  [...lines].reverse().find(({ torch }) => compareVersions(version, torch) >= 0);

/** The oldest minor version of Python 3 that is taken for a PyTorch; without one that of the lines that are taken then. */
export const oldestPythonFor = (torch: string | undefined): number =>
  torch === undefined ? oldestPython : (lineOf(torch)?.python[0] ?? oldestPython);

export interface TorchChoice {
  /** What uv is asked for: `torch==2.9.1`, or a range. */
  readonly requirement: string;
  /** What uv is asked for as the interpreter: `3.11`, or a range. */
  readonly python: string;
}

/** The major CUDA version of a build: 12 of `cu126`. Of others nothing is asked of NVIDIA's driver. */
const cudaOfBuild = (build: string): number => Number(/^cu(\d{1,2})\d$/.exec(build)?.[1] ?? 0);

/**
 * @param wanted of the experiment; `builds`: `cu126` or `cpu`, where it names some in place of PyPI's; `requires`: the
 * Pythons that its packages are for
 * @param gpu whether it computes on a GPU
 * @param buildsTrainer whether the native trainer is built with it
 * @throws wheels_driver_old where the driver does not run the wheel that the experiment names, wheels_gpu_old where that has no
 * code for the GPU; wheels_no_driver, wheels_no_gpu where no wheel does
 */
export function chooseTorch(
  wanted: {
    readonly python?: string | undefined;
    readonly torch?: string | undefined;
    readonly builds?: readonly string[];
    readonly requires?: string | undefined;
  },
  facts: Pick<NodeFacts, 'cuda' | 'driver'> & Partial<Pick<NodeFacts, 'gpus'>>,
  gpu: boolean,
  buildsTrainer: boolean,
): TorchChoice {
  const { torch, builds = [], requires } = wanted;
  const python = (range: readonly [number, number]): string =>
    wanted.python ??
    [rangeOf(range), ...(requires === undefined ? [] : [requires.replaceAll(/\s/g, '')])].join(',');
  const own = gpu && facts.cuda !== undefined ? Number.parseInt(facts.cuda, 10) : Number.POSITIVE_INFINITY;
  const runsBuild = builds.some((build) => cudaOfBuild(build) <= own);
  const level = runsBuild ? Number.POSITIVE_INFINITY : own;
  // What other indexes build for is not known.
  const oldest = gpu && builds.length === 0 ? oldestGpu(facts.gpus ?? []) : undefined;
  const hasCode = ({ capability }: TorchLine): boolean => capability <= (oldest?.capability ?? Infinity);
  const runs = lines.filter((line) => line.cuda <= level && hasCode(line));
  const newest = runs.at(-1);
  const driver = facts.driver ?? '?';
  if (newest === undefined) {
    // A newer driver would not help an old GPU: it may not even have it any more.
    throw oldest !== undefined && lines.some((line) => line.cuda <= level)
      ? new RinglabError('wheels_no_gpu', { ...oldest })
      : new RinglabError('wheels_no_driver', { driver });
  }
  if (torch === undefined) {
    const last =
      buildsTrainer && compareVersions(newest.torch, newestForTrainer) > 0
        ? (lineOf(newestForTrainer) ?? newest)
        : newest;
    const isLimited = last !== lines.at(-1);
    const next = lines[lines.indexOf(last) + 1]?.torch;
    return {
      requirement: isLimited && next !== undefined ? `torch>=2.0,<${next}` : 'torch>=2.0',
      // uv takes an older PyTorch for an older Python. The newest Python has few packages yet.
      python: python([Math.min(oldestPython, last.python[0]), last.python[1] - (isLimited ? 0 : 1)]),
    };
  }
  const line = lineOf(torch);
  const isTooNew = builds.length > 0 ? !runsBuild : line !== undefined && line.cuda > level;
  if (isTooNew)
    throw new RinglabError('wheels_driver_old', {
      driver,
      cuda: facts.cuda ?? '?',
      torch,
      newest: newest.torch,
    });
  if (line !== undefined && oldest !== undefined && !hasCode(line))
    throw new RinglabError('wheels_gpu_old', { ...oldest, torch, newest: newest.torch });
  return { requirement: `torch==${torch}`, python: python(line?.python ?? [8, 11]) };
}

/** The first line that works with NumPy 2 (its release notes); with it, an older one gives and takes no arrays. */
const firstForNumpy2 = '2.3';

/** NumPy for a PyTorch. @param requirement `torch==2.9.1`, or a range whose newest is taken */
export function numpyFor(requirement: string): string {
  const [, exact, below] = /^torch(?:==([\d.]+)|.*<([\d.]+)$)/.exec(requirement) ?? [];
  const isOld =
    exact !== undefined
      ? compareVersions(exact, firstForNumpy2) < 0
      : below !== undefined && compareVersions(below, firstForNumpy2) <= 0;
  return isOld ? 'numpy<2' : 'numpy';
}

/** The one that fewest wheels have code for. */
function oldestGpu(gpus: NodeFacts['gpus']): { gpu: string; capability: number } | undefined {
  return gpus
    .flatMap(({ name, capability }) => (capability === undefined ? [] : [{ gpu: name, capability }]))
    .sort((a, b) => a.capability - b.capability)[0];
}

const rangeOf = ([from, to]: readonly [number, number]): string => `>=3.${from},<3.${to + 1}`;
