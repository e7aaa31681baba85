/**
 * The trainer's synchronisation as a library for the Python of an own script that asks for it (`ringlab.slow`,
 * `ringlab.hook`). This computer's trainer holds it for its own libtorch; for another it is built on the node against
 * that one: local nodes, which are this computer, build it once; what a remote node builds stays there.
 */
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import { changedLine, lineIn, lineOf, type Phrase } from '../../../shared/base/phrase.ts';
import { reasonOf } from '../../base/reason.ts';
import { buildFolder, trainerFolder } from '../../base/node-layout.ts';
import { createOnce } from '../../base/once.ts';
import { shellQuote } from '../../ssh/index.ts';
import { hashText } from '../../transfer/index.ts';
import { phrase } from '../../i18n/index.ts';
import { known, type StepContext } from '../engine/step.ts';
import { inWords, type PlannedChange } from '../node/planned-change.ts';
import type { TrainerSources } from '../trainer/sources.ts';
import { buildOnNode, planBuild, type Product } from '../trainer/trainer-build.ts';
import { libtorchLine } from '../trainer/trainer-version.ts';

export interface ScriptEngines {
  /** Whether nothing is to do; `said` is what this computer's own program says of its version. */
  check(context: StepContext, said: string): Promise<boolean>;
  plan(context: StepContext): Promise<readonly PlannedChange[]>;
  /** Never throws for a build that fails: a script may do without. */
  apply(context: StepContext, said: string): Promise<void>;
  /** The summary of the step. */
  verify(context: StepContext, said: string, summary: Phrase): Promise<Phrase>;
}

export interface ScriptEnginesOptions {
  readonly sources: () => Promise<TrainerSources>;
  /** A folder of this computer, for the engines of all local nodes. */
  readonly shared: string;
}

const library = 'libringlab_engine.so';
const maxFile = 1024 ** 2;
const maxFiles = 2000;
const maxProblem = 500;

/** Whether a Python file uses the engine: it names our package, and calls one of the two. */
export const usesEngine = (text: string): boolean =>
  /\b(?:import|from)\s+ringlab\b/.test(text) && /\b(?:slow|hook)\s*\(/.test(text);

/** Words of its import lines: names of modules, and of what is taken from them. */
const imported = (text: string): string[] =>
  [...text.matchAll(/^[ \t]*(?:from|import)[ \t]+(.+)$/gm)].flatMap(
    ([, line = '']) => line.match(/\w+/g) ?? [],
  );

/** `pkg/nets.py` → nets, `pkg/__init__.py` → pkg. */
const moduleName = (path: string): string =>
  posix.basename(path.replace(/\/__init__\.py$/, '').replace(/\.py$/, ''));

/** Whether the script, or a file of its code that it may import, uses the engine: a folder may hold other scripts, too. */
export async function codeUsesEngine({ code, lab, signal }: StepContext): Promise<boolean> {
  const file = lab.experiment.script?.file;
  if (code === undefined || file === undefined) return false;
  const { manifest } = await code.take({ signal });
  const paths = manifest.files
    .filter(({ path, size }) => path.endsWith('.py') && size <= maxFile)
    .map(({ path }) => path)
    .slice(0, maxFiles);
  const started = posix.normalize(file.replaceAll('\\', '/'));
  const unread = new Set(paths);
  // A module that `python -m` starts may be anywhere.
  const next = paths.includes(started) ? [started] : [...paths];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (!unread.delete(path)) continue;
    const text = await readFile(join(manifest.root, path), 'utf8').catch(() => '');
    if (usesEngine(text)) return true;
    const names = new Set(imported(text));
    next.push(...[...unread].filter((other) => names.has(moduleName(other))));
  }
  return false;
}

interface Wanted {
  readonly path: string;
  readonly fingerprint: string;
}

const torchFolder =
  'import importlib.util, os; print("torch-folder", os.path.dirname(importlib.util.find_spec("torch").origin))';

export function createScriptEngines({ sources: read, shared }: ScriptEnginesOptions): ScriptEngines {
  const once = createOnce<string>((error) => !isCancelled(error));
  /** Builds that failed, by fingerprint and node: they are not tried again by themselves. */
  const failed = new Map<string, string>();

  /** Undefined where the script does not ask for it, or the trainer's own fits. */
  const wantedIn = async (context: StepContext, said: string): Promise<Wanted | undefined> => {
    const { node, work } = context;
    const torch = work.pythonVersions?.torch;
    if (torch === undefined || !(await codeUsesEngine(context))) return undefined;
    const own = / libtorch (\S+)/.exec(said)?.[1];
    if (own !== undefined && libtorchLine(own) === libtorchLine(torch)) return undefined;
    const { arch, glibc, home } = known(work, 'facts');
    const { hash } = await read();
    const fingerprint = hashText(JSON.stringify([arch, glibc ?? '', torch, hash])).slice(0, 24);
    const name = `engine-${fingerprint}`;
    const folder = node.access.type === 'local' ? `${shared}/${name}` : trainerFolder(home, name);
    return { fingerprint, path: `${folder}/${library}` };
  };

  const product = async (context: StepContext): Promise<Product> => {
    const python = known(context.work, 'python');
    const { stdout } = await context.shell.exec(`${shellQuote(python)} -c ${shellQuote(torchFolder)}`, {
      label: phrase('nodeCommands.torchFolder'),
    });
    return {
      folder: 'python',
      target: 'ringlab_engine',
      file: library,
      images: false,
      libtorch: /^torch-folder (\/.+)$/m.exec(stdout)?.[1],
    };
  };

  const folderFor = ({ work }: StepContext, { fingerprint }: Wanted): string =>
    buildFolder(known(work, 'facts').home, `engine-${fingerprint}`);
  const turnOf = (context: StepContext, { path }: Wanted): string =>
    context.node.access.type === 'local' ? path : `${context.machine.id} ${path}`;
  const isThere = async ({ shell }: StepContext, { path }: Wanted): Promise<boolean> =>
    (await shell.exec(`[ -s ${shellQuote(path)} ]`, { label: phrase('nodeCommands.engine') })).code === 0;

  const settle = (context: StepContext, wanted: Wanted, there: boolean): boolean => {
    const problem = failed.get(turnOf(context, wanted));
    if (there) context.work.engine = { path: wanted.path };
    else if (problem !== undefined) context.work.engine = { problem };
    return there || problem !== undefined;
  };

  return {
    async check(context, said) {
      const wanted = await wantedIn(context, said);
      return wanted === undefined || settle(context, wanted, await isThere(context, wanted));
    },
    async plan(context) {
      const wanted = await wantedIn(context, '');
      if (wanted === undefined || (await isThere(context, wanted))) return [];
      const built = await product(context);
      return [
        inWords(phrase('changes.engine', { torch: context.work.pythonVersions?.torch ?? '' })),
        ...(await planBuild(context, await read(), folderFor(context, wanted), wanted.path, built)),
      ];
    },
    async apply(context, said) {
      const wanted = await wantedIn(context, said);
      if (wanted === undefined || (await isThere(context, wanted))) return;
      const turn = turnOf(context, wanted);
      const { log } = context.status;
      failed.delete(turn);
      log.add(phrase('stepLog.buildsEngine'));
      try {
        await once(turn, async () => {
          if (await isThere(context, wanted)) return wanted.path;
          const folder = folderFor(context, wanted);
          await buildOnNode(context, await read(), folder, wanted.path, await product(context));
          return wanted.path;
        });
      } catch (error) {
        if (isCancelled(error) || !(error instanceof RinglabError)) throw error;
        const problem = changedLine(reasonOf(error), (message) =>
          `${message} ${error.detail ?? ''}`.trim().slice(-maxProblem),
        );
        // A script's Python says it, in English as Python does.
        failed.set(turn, lineIn(problem, 'en'));
        log.add(phrase('stepLog.engineFailed', { problem }));
      }
    },
    async verify(context, said, summary) {
      const wanted = await wantedIn(context, said);
      if (wanted === undefined) return summary;
      settle(context, wanted, await isThere(context, wanted));
      const { engine } = context.work;
      return lineOf([
        summary,
        engine !== undefined && 'path' in engine
          ? phrase('summaries.engine', { torch: context.work.pythonVersions?.torch ?? '' })
          : phrase('summaries.noEngine'),
      ]);
    },
  };
}
