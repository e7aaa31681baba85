/** `ringlab run --script FILE --nodes LAB … -- ARGS`: makes the lab of an own script from the command line. */
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { RinglabError, notFound } from '../../../shared/base/errors.ts';
import { valueProblem } from '../../../shared/i18n/value-problem.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { Runtime } from '../../../shared/lab/runtime.ts';
import { joinArguments } from '../../../shared/lab/script-arguments.ts';
import { Script } from '../../../shared/lab/script.ts';
import { UsageError } from './command-line.ts';
import { speak } from './speak.ts';

export interface ScriptOptions {
  /** A file, or `module:NAME`. */
  readonly script: string;
  /** A folder of this computer or a repository; by default the current folder, or the script's. */
  readonly source: string | undefined;
  readonly ref: string | undefined;
  /** `wheels`, `existing`, `existing:PATH` or `system`. */
  readonly runtime: string | undefined;
  readonly torchrun: boolean;
  /** `--min-nodes`, as typed: with how many nodes PyTorch's agents go on. */
  readonly minNodes: string | undefined;
  /** What follows `--`. */
  readonly args: readonly string[];
}

const longestName = 120;
const isRepository = (source: string): boolean =>
  /^[a-z][a-z+]*:\/\//.test(source) || /^[\w.-]+@[\w.-]+:/.test(source);

/** @throws UsageError */
function runtimeFrom(word: string): Runtime {
  if (word === 'wheels' || word === 'system') return { type: word };
  if (word === 'existing') return { type: 'existing' };
  const path = /^existing:(.+)$/.exec(word)?.[1];
  if (path !== undefined) return { type: 'existing', path };
  const known = ['wheels', 'existing', 'existing:PATH', 'system'];
  throw new UsageError(speak('cli.usage.runtime', { word, known }));
}

/** @throws UsageError */
function minNodesFrom(word: string): number {
  const number = /^\d+$/.test(word) ? Number(word) : 0;
  if (number < 1 || !Number.isSafeInteger(number))
    throw new UsageError(speak('cli.usage.minNodes', { word }));
  return number;
}

/** What is sent, and the script's path in it. Throws not_found for a file that is not there, UsageError for a folder. */
async function sourceFrom({ script, source, ref }: ScriptOptions): Promise<Pick<Script, 'source' | 'file'>> {
  if (source !== undefined && isRepository(source))
    return { source: { type: 'git', url: source, ...(ref === undefined ? {} : { ref }) }, file: script };
  if (script.startsWith('module:'))
    return { source: { type: 'folder', path: resolve(source ?? '.') }, file: script };
  const kindOf = async (path: string): Promise<'file' | 'folder' | undefined> => {
    const found = await stat(path).catch(() => undefined);
    return found?.isFile() === true ? 'file' : found?.isDirectory() === true ? 'folder' : undefined;
  };
  const below = (folder: string, path: string): string | undefined => {
    const inside = relative(folder, path);
    return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? undefined : inside;
  };
  const typed = resolve(script);
  // `--source project --script train.py`: as typed below the folder, else below the current one.
  const folder = source === undefined ? undefined : resolve(source);
  const path = folder !== undefined && (await kindOf(typed)) !== 'file' ? join(folder, script) : typed;
  const kind = await kindOf(path);
  if (kind === 'folder') throw new UsageError(speak('cli.usage.scriptFolder', { path }));
  if (kind === undefined) throw notFound('file', path);
  const root = folder ?? (below(process.cwd(), path) === undefined ? dirname(path) : process.cwd());
  const file = below(root, path);
  if (file === undefined) throw new RinglabError('script_missing', { path, folder: root });
  return { source: { type: 'folder', path: root }, file: file.replaceAll('\\', '/') };
}

/**
 * The lab's machines with this script as the experiment; its own settings for processes, port and network stay.
 * @throws UsageError, not_found, script_missing, bad_request
 */
export async function scriptLab(lab: LabDocument, options: ScriptOptions): Promise<LabDocument> {
  const given = lab.experiment.script;
  const parsed = Script.safeParse({
    // What a lab says about environment, packages, outputs and patterns stays.
    ...given,
    ...(await sourceFrom(options)),
    arguments: joinArguments(options.args),
    ...(options.torchrun || options.minNodes !== undefined ? { launch: 'torchrun' } : {}),
    ...(options.minNodes === undefined ? {} : { minNodes: minNodesFrom(options.minNodes) }),
  });
  if (!parsed.success)
    throw new RinglabError('bad_request', {
      path: parsed.error.issues[0]?.path.join('.') ?? 'script',
      problem: valueProblem(parsed.error.issues[0]),
    });
  const runtime = options.runtime === undefined ? undefined : runtimeFrom(options.runtime);
  const { runtime: own, ...experiment } = lab.experiment;
  // A conda environment of the native trainer's has no Python.
  const kept = own?.type === 'conda' ? undefined : own;
  const chosen = runtime ?? kept;
  return {
    ...lab,
    name: `${lab.name} · ${parsed.data.file}`.slice(0, longestName),
    experiment: { ...experiment, ...(chosen === undefined ? {} : { runtime: chosen }), script: parsed.data },
  };
}
