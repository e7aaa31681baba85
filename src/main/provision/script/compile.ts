/** Python compiles an own script on a node, without running it: a syntax error is found before anything long is done. */
import { posix } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runtimeOf } from '../../../shared/lab/lab.ts';
import { scriptFiles } from '../../../shared/lab/script-check.ts';
import type { Script } from '../../../shared/lab/script.ts';
import { shellQuote } from '../../ssh/index.ts';
import { lastWords } from '../node/node-shell.ts';
import type { StepContext } from '../engine/step.ts';
import { oldestPythonOf, systemPython } from '../runtime/index.ts';
import { reasonOf } from '../../base/reason.ts';
import { phrase } from '../../i18n/index.ts';

/** What `python -m py_compile` does, without a cache beside the file; 3: a syntax error. */
const program = `import sys
print("python %d.%d" % sys.version_info[:2])
with open(sys.argv[1], "rb") as file: source = file.read()
try: compile(source, sys.argv[1], "exec", dont_inherit=True)
except (SyntaxError, ValueError):
    import traceback
    traceback.print_exc(limit=0)
    sys.exit(3)`;
const syntaxError = 3;
const noPython = 4;

const compileCommand = (folder: string, script: Script, python: string): string => `
cd ${shellQuote(folder)} || exit 1
command -v ${shellQuote(python)} >/dev/null 2>&1 || exit ${noPython}
for file in ${scriptFiles(script)
  .map((file) => shellQuote(posix.normalize(file)))
  .join(' ')}; do
  [ -f "$file" ] || continue
  exec ${shellQuote(python)} -c ${shellQuote(program)} "$file"
done
exit 0`;

/** `line 3: SyntaxError: invalid syntax` from a traceback. */
function saidIn(output: string): string {
  const lines = output.trim().split('\n');
  const line = /line (\d+)/.exec(output)?.[1];
  const last = lines.at(-1) ?? '';
  return line === undefined ? last : `line ${line}: ${last}`;
}

interface Compiled {
  readonly failure: RinglabError | undefined;
  /** `3.11` → 11; undefined where there is no Python. */
  readonly minor: number | undefined;
}

async function compile(context: StepContext, folder: string, python: string): Promise<Compiled> {
  const { script } = context.lab.experiment;
  if (script === undefined) return { failure: undefined, minor: undefined };
  const result = await context.shell.exec(compileCommand(folder, script, python), {
    label: phrase('nodeCommands.compile', { file: script.file, python }),
  });
  const minor = /^python 3\.(\d+)$/m.exec(result.stdout)?.[1];
  const failure =
    result.code === syntaxError
      ? new RinglabError(
          'script_syntax',
          { path: script.file, said: saidIn(result.stderr) },
          { detail: lastWords(result) },
        )
      : undefined;
  return { failure, minor: minor === undefined ? undefined : Number(minor) };
}

/** Whether what this Python refuses is refused by the run's, too: that of an existing environment may be any. */
async function decides(context: StepContext, minor: number | undefined): Promise<boolean> {
  const { type } = runtimeOf(context.lab);
  if (type === 'wheels') return minor !== undefined && minor >= (await oldestPythonOf(context));
  return type === 'system';
}

/**
 * Before libraries are installed, with a Python that is there. One that is older than the run's refuses newer syntax:
 * then only the later check decides.
 * @throws script_syntax; of what the experiment wants installed: file_unreadable, requirement_local, requirement_unlisted
 */
export async function compileEarly(context: StepContext, folder: string): Promise<void> {
  const isSystem = runtimeOf(context.lab).type === 'system';
  const { failure, minor } = await compile(context, folder, isSystem ? systemPython : 'python3');
  if (failure === undefined) return;
  if (await decides(context, minor)) throw failure;
  context.status.log.add(phrase('stepLog.compiledAgain', { problem: reasonOf(failure) }));
}

/** With the run's own Python. Throws script_syntax. */
export async function compileFinally(context: StepContext, folder: string, python: string): Promise<void> {
  const { failure } = await compile(context, folder, python);
  if (failure !== undefined) throw failure;
}
