/** A libtorch on a node: which one it is, and whether it suits the node. */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabNode } from '../../../shared/lab/lab.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { shellQuote } from '../../ssh/index.ts';

/** How the C++ library's strings are laid out; binaries of both kinds do not link. */
type Abi = 'cxx11' | 'pre-cxx11';

export interface Libtorch {
  /** `2.1.0`. */
  readonly version: string;
  /** Its folder, with `lib/` and `include/`, where it stands outside the system's own folders. */
  readonly prefix?: string | undefined;
  /** The CUDA it was built for (`12.1`); undefined where it computes on the CPU alone. */
  readonly cuda?: string | undefined;
  readonly abi: Abi;
}

/** `libtorch 2.1.0 · CUDA 12.1 (/opt/libtorch)` */
export const describeLibtorch = ({ version, cuda, prefix }: Libtorch): string =>
  `libtorch ${version}${cuda === undefined ? '' : ` · CUDA ${cuda}`}${prefix === undefined ? '' : ` (${prefix})`}`;

/** What a program that was linked with it needs to find it. */
export const libtorchEnvironment = (libtorch: Libtorch | undefined): Record<string, string> =>
  libtorch?.prefix === undefined ? {} : { LD_LIBRARY_PATH: `${libtorch.prefix}/lib` };

/** The same before a command; empty, or with a space at its end. */
export const libtorchAssignments = (libtorch: Libtorch | undefined): string =>
  Object.entries(libtorchEnvironment(libtorch))
    .map(([name, value]) => `${name}=${shellQuote(value)} `)
    .join('');

const major = (version: string): number => Number.parseInt(version, 10);

/** A driver runs what was built for its own CUDA or an older one, and what was built for any of the same major number. */
export const driverRuns = (level: string, cuda: string): boolean => major(cuda) <= major(level);

/** Drawn as a GPU node, with a GPU whose driver works, and not set to compute on the CPU. */
export const wantsGpu = (node: LabNode, facts: NodeFacts, backend: string): boolean =>
  node.kind === 'gpu' && facts.nvidia?.works === true && backend !== 'gloo';

/**
 * Said before anything is started: an experiment that quietly runs on the CPU costs a day.
 * @throws runtime_cpu_build, runtime_cuda_too_new
 */
export function checkSuits(libtorch: Libtorch, node: LabNode, facts: NodeFacts, backend: string): void {
  // What a local node runs was chosen when this computer was set up.
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
