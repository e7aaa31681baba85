/** Which indexes a node asks for wheels, the fastest first, and whether PyTorch's own builds without CUDA are reached. */
import type { RinglabError } from '../../../../shared/base/errors.ts';
import { indexesOf } from '../../../../shared/lab/runtime.ts';
import { measureMirrors, mirrorsFailed } from '../../download/mirrors.ts';
import type { StepContext } from '../../engine/step.ts';
import type { UvFolders } from './uv-folders.ts';
import { namedIndexes } from './named-indexes.ts';
import { cpuBuildScript, type IndexSource } from './wheels-commands.ts';
import { wheelsRuntimeOf, type WantedEnvironment } from './wheels-content.ts';
import type { Line } from '../../../../shared/base/phrase.ts';
import { phrase } from '../../../i18n/index.ts';

interface AskedIndexes extends Pick<WheelIndexes, 'beside' | 'sourceOf'> {
  readonly tried: readonly string[];
  /** Whether the files name it. */
  readonly isNamed: boolean;
}

/** PyTorch's own index of builds without CUDA, which uv asks with `--torch-backend cpu`. */
export const cpuIndex = 'https://download.pytorch.org/whl/cpu';

export interface WheelIndexes {
  /** The fastest first. */
  readonly order: readonly string[];
  /** Those that the experiment's files name beside. */
  readonly beside: readonly string[];
  readonly cpuBuild: boolean;
  /** uv's options for an index of `order`. */
  sourceOf(address: string): IndexSource;
  /** The error where none of them has everything. */
  failed(detail: string): RinglabError;
}

/**
 * Whether the files name another build, as `torch==2.9.1+cu126` does, or have the hashes of PyTorch's wheel: those of the
 * build without CUDA are others. A version that names that build is on its own index alone.
 */
function pinsOtherBuild(files: Readonly<Record<string, string>>): boolean {
  const text = Object.values(files).join('\n');
  if (/^\s*["']?torch(?:vision|audio)?\s*==\s*[\d.]+\+(?!cpu)/m.test(text)) return true;
  const isPinned =
    /^name = "torch"\r?$/m.test(text) || /^torch(?![\w.-])(?:.*\\\r?\n)*.*\s--hash\b/m.test(text);
  return isPinned && !/(?:^torch\s*==\s*|^name = "torch"\r?\nversion = ")[\d.]+\+cpu/m.test(text);
}

/** The user's own indexes are used alone. */
async function hasCpuBuild(
  context: StepContext,
  uv: string,
  folders: UvFolders,
  index: string,
): Promise<boolean> {
  const { shell, status } = context;
  if ((wheelsRuntimeOf(context).indexes?.length ?? 0) > 0) return false;
  const asked = await shell.exec(cpuBuildScript(uv, folders, index), {
    label: phrase('nodeCommands.cpuBuild', { host: new URL(cpuIndex).host }),
    online: true,
  });
  if (asked.code !== 0) status.log.add(phrase('stepLog.noCpuBuild'));
  return asked.code === 0;
}

/** Which indexes an environment is asked of: those that the lab names, else that of its files, else PyPI and its mirrors. */
export function indexesFor(context: StepContext, files: WantedEnvironment['files']): AskedIndexes {
  const runtime = wheelsRuntimeOf(context);
  const { own, beside, locked, strategy } = namedIndexes(files);
  // What a lab names is used alone, and in place of a lock's.
  if ((runtime.indexes?.length ?? 0) > 0)
    return { tried: indexesOf(runtime), isNamed: false, beside, sourceOf: (index) => ({ index, strategy }) };
  const more = { more: locked, strategy };
  return {
    tried: own === undefined ? indexesOf(runtime) : [own.address],
    isNamed: own !== undefined,
    beside: [...beside, ...locked],
    sourceOf: (index) => ({ index: own?.isInFile === true ? undefined : index, ...more }),
  };
}

/**
 * @param gpu whether the node computes on a GPU
 * @param files of the environment
 * @throws mirrors_failed
 */
export async function wheelIndexes(
  context: StepContext,
  uv: string,
  folders: UvFolders,
  { gpu, files }: Pick<WantedEnvironment, 'gpu' | 'files'>,
): Promise<WheelIndexes> {
  const { shell, status, node } = context;
  const { tried, isNamed, beside, sourceOf } = indexesFor(context, files);
  const all = [...tried, ...beside];
  // One alone needs no measurement, and its login may be one that only uv knows.
  if (isNamed) {
    const failed = (detail: string): RinglabError => mirrorsFailed(node, all, { silent: false }, detail);
    return { order: tried, beside, cpuBuild: false, sourceOf, failed };
  }
  const log = (line: Line): void => status.log.add(line);
  const measured = await measureMirrors(shell, tried, (index) => `${index}/torch/`, log);
  if (measured.mirrors.length === 0 && !measured.silent) throw mirrorsFailed(node, tried, measured);
  // A bare node has no program to measure with, and uv has certificates of its own.
  const order = measured.silent ? tried : measured.mirrors.map(({ address }) => address);
  return {
    order,
    beside,
    cpuBuild: !gpu && !pinsOtherBuild(files) && (await hasCpuBuild(context, uv, folders, order[0] ?? '')),
    sourceOf,
    failed: (detail) => mirrorsFailed(node, all, measured, detail),
  };
}
