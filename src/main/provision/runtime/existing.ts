/** `runtime: existing`: uses a libtorch or Python torch that is already on the node, unchanged. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { known, type StepContext } from '../engine/step.ts';
import { expandHome } from '../node/home-path.ts';
import { compareVersions } from '../node/versions.ts';
import { findTorch, type FoundTorch } from '../node/find-torch.ts';
import { driverRuns, wantsGpu, type Libtorch } from '../node/libtorch.ts';
import type { RuntimeSource } from './runtime.ts';
import { phrase } from '../../i18n/index.ts';

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
  if (!headers) context.status.log.add(phrase('stepLog.noHeaders', { path: best.prefix }));
  return libtorch;
}

/**
 * The interpreter whose torch this is: that of its environment; or the distribution's, for what was installed beside
 * its packages. A folder that the user names may also be the interpreter itself.
 */
const interpreterScript = (torch: string | undefined, named: string | undefined): string =>
  `
torch=${shellQuote(torch ?? '')} named=${shellQuote(named ?? '')}
version=\${torch%/*-packages/torch}; version=\${version##*/}
for python in "$named" "$named/bin/python3" "$named/python3" "\${torch:-/nowhere}/../../../../bin/python3" "/usr/bin/$version" "/usr/local/bin/$version" /usr/bin/python3; do
  [ -f "$python" ] && [ -x "$python" ] || continue
  case $python in */python|*/python3|*/python3.*) ;; *) continue;; esac
  found=$("$python" -c 'import importlib.util as u, os; s = u.find_spec("torch"); print(os.path.dirname(os.path.realpath(s.origin)) if s else "")' 2>/dev/null)
  [ -n "$found" ] || continue
  [ -z "$torch" ] || [ "$found" = "$torch" ] || continue
  printf '%s/%s\n' "$(cd "\${python%/*}" && pwd)" "\${python##*/}"
  exit 0
done
`.replaceAll('\\${', '${');

async function python(context: StepContext): Promise<string | undefined> {
  const named = namedPath(context.lab, known(context.work, 'facts').home);
  const torch = await find(context);
  if (torch !== undefined) context.work.libtorch = torch;
  const { stdout } = await context.shell.ask(interpreterScript(torch?.prefix, named), {
    label: phrase('nodeCommands.pythonOfTorch'),
  });
  const path = stdout.trim();
  return path === '' ? undefined : path;
}

export const existingRuntime: RuntimeSource = {
  bringsImages: false,
  find,
  python,
  plan: (context) => existingRuntime.install(context).then(() => []),
  install(context) {
    const path = namedPath(context.lab, known(context.work, 'facts').home);
    throw new RinglabError('runtime_missing', { path: path ?? '~, /opt, /usr/local' });
  },
};
