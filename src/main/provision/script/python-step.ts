/**
 * The libraries step of an own script: provides the Python that it runs with, from the source that the experiment
 * names, and imports its torch once.
 */
import { codeFolder } from '../../base/node-layout.ts';
import { lineOf, type Phrase } from '../../../shared/base/phrase.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runtimeOf } from '../../../shared/lab/lab.ts';
import type { Runtime } from '../../../shared/lab/runtime.ts';
import { shellQuote } from '../../ssh/index.ts';
import { hashText } from '../../transfer/index.ts';
import { known, type PythonVersions, type Step, type StepContext } from '../engine/step.ts';
import { checkSuits } from '../node/libtorch.ts';
import { lastWords } from '../node/node-shell.ts';
import type { RuntimeSource } from '../runtime/index.ts';
import { phrase } from '../../i18n/index.ts';

/** Reads versions from files: importing torch takes seconds. Exits 1 where there is no torch. */
const versionsProgram = `import importlib.util, os, sys
spec = importlib.util.find_spec("torch")
if spec is None or not spec.origin: sys.exit(1)
file = os.path.join(os.path.dirname(spec.origin), "version.py")
found = {}
with open(file) as text: exec(text.read(), found)
print("torch", "%d.%d.%d" % sys.version_info[:3], found.get("__version__", "?"), found.get("cuda") or "-", int(os.stat(file).st_mtime))`;
const importProgram =
  'import torch, torch.distributed as d; assert d.is_available(), "torch.distributed is not part of this torch"';
const importSeconds = 300;

interface Found extends PythonVersions {
  readonly cuda: string | undefined;
  /** The line for the record of a successful import. */
  readonly line: string;
}

const recordOf = (context: StepContext, python: string): string =>
  codeFolder(known(context.work, 'facts').home, `.python-${hashText(python).slice(0, 16)}`);

async function versionsOf(
  context: StepContext,
  python: string,
): Promise<{ found?: Found; imported: boolean }> {
  const record = recordOf(context, python);
  const { stdout } = await context.shell.ask(
    `${shellQuote(python)} -c ${shellQuote(versionsProgram)} 2>/dev/null && printf 'record %s\\n' "$(cat ${shellQuote(record)} 2>/dev/null)"`,
    { label: phrase('nodeCommands.pythonTorch', { python }) },
  );
  const line = /^torch (\S+) (\S+) (\S+) \d+$/m.exec(stdout);
  const [whole, version, torch, cuda] = line ?? [];
  if (whole === undefined || version === undefined || torch === undefined) return { imported: false };
  return {
    found: { python: version, torch, cuda: cuda === '-' ? undefined : cuda, line: whole },
    imported: stdout.includes(`\nrecord ${whole}\n`),
  };
}

/** Throws runtime_cpu_build, runtime_cuda_too_new. */
function accept(context: StepContext, python: string, found: Found): Phrase {
  const { facts } = context.work;
  if (facts !== undefined) {
    const { cuda, torch } = found;
    const { backend } = context.lab.experiment;
    checkSuits({ version: torch, abi: 'cxx11', cuda }, context.node, facts, backend);
  }
  context.work.python = python;
  context.work.pythonVersions = { python: found.python, torch: found.torch };
  return lineOf([
    `Python ${found.python}`,
    `torch ${found.torch}`,
    ...(found.cuda === undefined ? [] : [`CUDA ${found.cuda}`]),
    python,
  ]);
}

const missing = (context: StepContext): RinglabError =>
  new RinglabError('python_missing', { looked: runtimeOf(context.lab).type });

/** Undefined where it is not installed yet. */
async function pythonOf(context: StepContext, source: RuntimeSource): Promise<string | undefined> {
  if (runtimeOf(context.lab).type === 'wheels') {
    const libtorch = await source.find(context);
    if (libtorch === undefined) return undefined;
    context.work.libtorch = libtorch;
  }
  return source.python?.(context);
}

/** By the runtime's type; those that are missing have no Python. */
type PythonSources = Readonly<Partial<Record<Runtime['type'], RuntimeSource>>>;

export function createPythonStep(sources: PythonSources): Step {
  const sourceOf = (context: StepContext): RuntimeSource => {
    const source = sources[runtimeOf(context.lab).type];
    if (source?.python === undefined) throw missing(context);
    return source;
  };
  return {
    id: 'python',
    place: 'libraries',
    async check(context) {
      const source = sourceOf(context);
      if (context.redo) return undefined;
      const python = await pythonOf(context, source);
      if (python === undefined) return undefined;
      const { found, imported } = await versionsOf(context, python);
      return found !== undefined && imported ? accept(context, python, found) : undefined;
    },
    async plan(context) {
      const source = sourceOf(context);
      const python = await pythonOf(context, source);
      context.work.python = python;
      return python === undefined || context.redo ? await source.plan(context) : [];
    },
    async apply(context) {
      const source = sourceOf(context);
      if (context.redo || (await pythonOf(context, source)) === undefined) await source.install(context);
    },
    async verify(context) {
      const python = await pythonOf(context, sourceOf(context));
      if (python === undefined) throw missing(context);
      const { found } = await versionsOf(context, python);
      const result = await context.shell.exec(
        `timeout -k 5 ${importSeconds} ${shellQuote(python)} -c ${shellQuote(importProgram)}`,
        { label: 'import torch', timeoutMs: (importSeconds + 30) * 1000 },
      );
      if (result.code !== 0 || found === undefined)
        throw new RinglabError(
          'python_no_torch',
          { python, said: result.stderr.trim().split('\n').at(-1) ?? '' },
          { detail: lastWords(result) },
        );
      const record = shellQuote(recordOf(context, python));
      await context.shell.run(
        `mkdir -p "$(dirname ${record})" && printf '%s\\n' ${shellQuote(found.line)} > ${record}.$$ && mv -f ${record}.$$ ${record}`,
      );
      return accept(context, python, found);
    },
  };
}
