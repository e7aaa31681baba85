/** `runtime: existing`: uses a libtorch or Python torch that is already on the node, unchanged. */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { known, type StepContext } from '../engine/step.ts';
import { expandHome } from '../node/home-path.ts';
import { compareVersions } from '../node/versions.ts';
import { findTorch, type FoundTorch } from '../node/find-torch.ts';
import { driverRuns, wantsGpu, type Libtorch } from '../node/libtorch.ts';
import type { RuntimeSource } from './runtime.ts';

const namedPath = ({ experiment }: LabDocument, home: string): string | undefined => {
  const path = experiment.runtime?.type === 'existing' ? experiment.runtime.path?.trim() : undefined;
  return path === undefined || path === '' ? undefined : expandHome(path, home);
};

/** Selects the best: usable by the GPU, or without CUDA where there is no GPU; then with headers; then the newest. */
export function bestTorch(
  found: readonly FoundTorch[],
  gpu: boolean,
  level: string | undefined,
): FoundTorch | undefined {
  const suits = ({ cuda }: FoundTorch): boolean =>
    gpu ? cuda !== undefined && (level === undefined || driverRuns(level, cuda)) : cuda === undefined;
  return [...found].sort(
    (a, b) =>
      Number(suits(b)) - Number(suits(a)) ||
      Number(b.headers) - Number(a.headers) ||
      compareVersions(b.version, a.version),
  )[0];
}

async function find(context: StepContext): Promise<Libtorch | undefined> {
  const facts = known(context.work, 'facts');
  const found = await findTorch(context.shell, namedPath(context.lab, facts.home));
  const gpu = wantsGpu(context.node, facts, context.lab.experiment.backend);
  const best = bestTorch(found, gpu, facts.cuda);
  if (best === undefined) return undefined;
  const { headers, ...libtorch } = best;
  if (!headers) context.status.log.add(`${best.prefix} has no headers: no trainer can be built with it`);
  return libtorch;
}

export const existingRuntime: RuntimeSource = {
  bringsImages: false,
  find,
  plan: (context) => existingRuntime.install(context).then(() => []),
  install(context) {
    const path = namedPath(context.lab, known(context.work, 'facts').home);
    throw new RinglabError('runtime_missing', { path: path ?? '~, /opt, /usr/local' });
  },
};
