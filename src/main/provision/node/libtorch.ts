/** Describes a libtorch on a node, and checks whether it suits the node. */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabNode } from '../../../shared/lab/lab.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { shellQuote } from '../../ssh/index.ts';

/** The ABI of std::string (_GLIBCXX_USE_CXX11_ABI); binaries of both kinds do not link. */
type Abi = 'cxx11' | 'pre-cxx11';

export interface Libtorch {
  /** `2.1.0`. */
  readonly version: string;
  /** Its folder, with `lib/` and `include/`, if outside the system's folders. */
  readonly prefix?: string | undefined;
  /** The CUDA version it was built for (`12.1`); undefined for CPU only. */
  readonly cuda?: string | undefined;
  readonly abi: Abi;
}

/** `libtorch 2.1.0 · CUDA 12.1 (/opt/libtorch)` */
export const describeLibtorch = ({ version, cuda, prefix }: Libtorch): string =>
  `libtorch ${version}${cuda === undefined ? '' : ` · CUDA ${cuda}`}${prefix === undefined ? '' : ` (${prefix})`}`;

/** Where libcudart is in `nvidia-*` wheels, beside a wheel of PyTorch: of CUDA 11 and 12, and of CUDA 13. */
const cudaWheels = ['nvidia/cuda_runtime/lib', 'nvidia/cu13/lib'];

/** Environment variables that a program linked with it needs to find it. */
export function libtorchEnvironment(libtorch: Libtorch | undefined): Record<string, string> {
  if (libtorch?.prefix === undefined) return {};
  const { prefix, cuda } = libtorch;
  const packages = /^(.*\/(?:site|dist)-packages)\/torch$/.exec(prefix)?.[1];
  const beside =
    packages === undefined || cuda === undefined ? [] : cudaWheels.map((path) => `${packages}/${path}`);
  return { LD_LIBRARY_PATH: [`${prefix}/lib`, ...beside].join(':') };
}

/** The same as a command prefix; empty, or with a trailing space. */
export const libtorchAssignments = (libtorch: Libtorch | undefined): string =>
  Object.entries(libtorchEnvironment(libtorch))
    .map(([name, value]) => `${name}=${shellQuote(value)} `)
    .join('');

const major = (version: string): number => Number.parseInt(version, 10);

/** A driver supports its own CUDA version, older ones, and all of the same major version. */
export const driverRuns = (level: string, cuda: string): boolean => major(cuda) <= major(level);

/** A GPU node whose driver works, unless the CPU is chosen. */
export const wantsGpu = (node: LabNode, facts: NodeFacts, backend: string): boolean =>
  node.kind === 'gpu' && facts.nvidia?.works === true && backend !== 'gloo';

/**
 * GPUs that ranks on a node can compute on: none whose driver does not work, nor any with a libtorch for the CPU alone.
 * @param libtorch the native trainer's; undefined for an own script, which has its own torch
 */
export function usableGpus(
  { gpus, nvidia }: Pick<NodeFacts, 'gpus' | 'nvidia'>,
  libtorch: Libtorch | undefined,
): number {
  const canUse = nvidia?.works === true && (libtorch === undefined || libtorch.cuda !== undefined);
  return canUse ? gpus.length : 0;
}

/**
 * Checked before a run: silently training on the CPU costs a day.
 * @throws runtime_cpu_build, runtime_cuda_too_new
 */
export function checkSuits(libtorch: Libtorch, node: LabNode, facts: NodeFacts, backend: string): void {
  // A local node's libtorch was chosen when this computer was set up.
  if (!wantsGpu(node, facts, backend) || node.access.type === 'local') return;
  const gpu = facts.gpus[0]?.name ?? 'GPU';
  if (libtorch.cuda === undefined) {
    throw new RinglabError('runtime_cpu_build', { libtorch: describeLibtorch(libtorch), gpu });
  }
  if (facts.cuda !== undefined && !driverRuns(facts.cuda, libtorch.cuda)) {
    throw new RinglabError('runtime_cuda_too_new', {
      libtorch: describeLibtorch(libtorch),
      driver: facts.driver ?? '?',
      cuda: facts.cuda,
    });
  }
}
