/**
 * `runtime: wheels`: a virtual environment of PyTorch's own wheels, made by uv in a folder named after its content. Runs
 * with the same content share it; the trainer is built against the libtorch in it.
 */
import { RinglabError } from '../../../../shared/base/errors.ts';
import { shownAddress } from '../../../../shared/base/shown-address.ts';
import { indexesOf } from '../../../../shared/lab/runtime.ts';
import { shellQuote, type ExecResult } from '../../../ssh/index.ts';
import { isDiskFullMessage, needBytes } from '../../../transfer/index.ts';
import { findTorch } from '../../node/find-torch.ts';
import { runLasting } from '../../node/lasting.ts';
import type { Libtorch } from '../../node/libtorch.ts';
import { codeOf, lastWords } from '../../node/node-shell.ts';
import { inWords, uploadWords, type PlannedChange } from '../../node/planned-change.ts';
import { known, type StepContext } from '../../engine/step.ts';
import { phrase } from '../../../i18n/index.ts';
import type { RuntimeSource } from '../runtime.ts';
import { uvFolders, uvWork, type UvFolders } from './uv-folders.ts';
import { ensurePython } from './uv-python.ts';
import { ensureUv, hasUv, uvPath, uvVersion, type UvKeeper } from './uv.ts';
import {
  buildReason,
  cachedScript,
  createScript,
  downloadProgress,
  failureReason,
  filesFolder,
  isWhole,
  noImport,
  noPython,
  otherReason,
  unsolvedReason,
  withoutLogins,
  type WheelSource,
  type WheelsEnvironment,
} from './wheels-commands.ts';
import { wantedEnvironment, wheelsRuntimeOf, type WantedEnvironment } from './wheels-content.ts';
import { indexesFor, wheelIndexes } from './wheels-indexes.ts';
import { packWheels, type WheelsPack } from './wheels-pack.ts';
import {
  bundledWheels,
  ensureBundledPython,
  pinnedPackages,
  planBundledWheels,
  sendWheels,
  totalBytes,
  wheelsOnNode,
  type BundledWheels,
} from './wheels-part.ts';
import { ownCodeFolder, type CodeFolder } from './wheels-wanted.ts';

export interface WheelsOptions {
  readonly uv: UvKeeper;
  /** The user's own home folder on this computer. */
  readonly home: string;
  /** A folder of this computer, for the downloads of all local nodes. */
  readonly shared: string;
  /** Where a script's code is on this computer; default: the folder that the experiment names. */
  readonly codeFolder?: CodeFolder;
}

export interface WheelsSource extends RuntimeSource {
  /**
   * Asks uv on the node, which needs internet, what an environment is made of.
   * @throws wheels_system, wheels_driver_old, wheels_unsolved, wheels_no_python, bundle_no_wheel, mirrors_failed
   */
  pack(context: StepContext): Promise<WheelsPack>;
  /** Path on this computer of the uv for a node. Throws uv_missing. */
  uv(context: StepContext): Promise<string>;
}

const installMinutes = 240;
/** A bundle's wheels and what is in them: PyTorch's have four times their size unpacked, CUDA's twice. */
const unpacked = 4;
/** Unpacked sizes with a margin: PyTorch for the CPU; for CUDA with the `nvidia-*` wheels that it requires (6.6 GB). */
const neededBytes = { cpu: 1.6e9, cuda: 8e9 };

const bundledEnvironment = (
  uv: string,
  prefix: string,
  folder: string,
  { part }: BundledWheels,
): WheelsEnvironment => ({
  ...{ uv, prefix, folder },
  python: part.python,
  files: { 'packages.txt': pinnedPackages(part) },
  // They are among the wheels.
  cpuBuild: false,
  headers: false,
});

/** Why another index would fail, too; undefined where one may not. */
function failureOf(
  { work }: StepContext,
  { python, prefix }: Pick<WheelsEnvironment, 'python' | 'prefix'>,
  result: { readonly code: number | null; readonly stdout: string; readonly stderr: string },
  needed: number,
): RinglabError | undefined {
  const detail = lastWords(result);
  const free = known(work, 'facts').diskFreeBytes;
  if (isDiskFullMessage(detail))
    return new RinglabError('node_disk_full', { path: prefix, needed, free }, { detail });
  const build = buildReason(result.stderr);
  if (build !== undefined) return new RinglabError('wheels_failed', { reason: build }, { detail });
  if (result.code === noPython)
    return new RinglabError('wheels_no_python', { python, reason: failureReason(result.stderr) }, { detail });
  if (result.code === noImport)
    return new RinglabError(
      'wheels_no_import',
      { reason: detail.trim().split('\n').at(-1) || phrase('printedNothing') },
      { detail },
    );
  return undefined;
}

export function createWheelsRuntime(options: WheelsOptions): WheelsSource {
  const { uv: keeper, home, shared, codeFolder = ownCodeFolder } = options;
  const wantedIn = (context: StepContext): Promise<WantedEnvironment> =>
    wantedEnvironment(context, home, codeFolder);
  const foldersOf = ({ node, work }: StepContext): UvFolders =>
    uvFolders(node, known(work, 'facts').home, shared);

  const findAt = async (context: StepContext, prefix: string): Promise<Libtorch | undefined> => {
    const { stdout } = await context.shell.exec(`${isWhole(shellQuote(prefix))} && echo whole`, {
      label: phrase('nodeCommands.lookAt', { path: prefix }),
      quiet: true,
    });
    if (stdout.trim() !== 'whole') return undefined;
    const [found] = await findTorch(context.shell, prefix);
    if (found === undefined) return undefined;
    const { headers: _, ...libtorch } = found;
    return libtorch;
  };

  /** Then it takes little: its files are links. */
  const isCached = async (context: StepContext, environment: WheelsEnvironment): Promise<boolean> => {
    const script = cachedScript(environment, foldersOf(context));
    const { code } = await context.shell.exec(script, { label: phrase('nodeCommands.cachedTorch') });
    return code === 0;
  };

  const create = async (
    context: StepContext,
    environment: WheelsEnvironment,
    source: WheelSource,
  ): Promise<ExecResult> => {
    const { shell, work, status } = context;
    const facts = known(work, 'facts');
    const { folder } = environment;
    for (const [name, text] of Object.entries(environment.files))
      await shell.upload({ bytes: Buffer.from(text) }, `${folder}/${name}`, { quiet: true });
    const command = createScript(environment, foldersOf(context), source);
    const shown = createScript(environment, foldersOf(context), withoutLogins(source));
    const progress = downloadProgress();
    // The folder identifies the content, whichever index running work has chosen.
    const lasting = { name: uvWork, key: environment.prefix, stop: 'at once' } as const;
    const result = await runLasting({ shell, facts }, command, lasting, {
      label: shown,
      timeoutMs: installMinutes * 60_000,
      online: 'index' in source,
      onOutput(text, stream) {
        if (stream !== 'stderr') return;
        const { done, total } = progress(text);
        if (total > 0) status.progress(done, total, 'bytes');
      },
    });
    await shell.exec(`rm -rf ${shellQuote(folder)}`, { quiet: true });
    return result;
  };

  const installBundled = async (
    context: StepContext,
    uv: string,
    prefix: string,
    bundled: BundledWheels,
  ): Promise<void> => {
    const environment = bundledEnvironment(uv, prefix, filesFolder(prefix), bundled);
    await ensureBundledPython(context, uv, foldersOf(context), bundled);
    if (!(await isCached(context, environment)))
      await needBytes(context.shell, prefix, totalBytes(bundled.part) * unpacked, context.signal);
    const result = await create(context, environment, { folder: await sendWheels(context, bundled) });
    if (result.code === 0) return;
    throw (
      failureOf(context, environment, result, totalBytes(bundled.part) * unpacked) ??
      new RinglabError(
        'command_failed',
        { command: 'uv pip install', code: codeOf(result) },
        { detail: lastWords(result) },
      )
    );
  };

  const install = async (context: StepContext): Promise<void> => {
    const { shell, status } = context;
    const { gpu, content, ...wanted } = await wantedIn(context);
    const { prefix, python } = wanted;
    const runtime = wheelsRuntimeOf(context);
    if (context.redo) await shell.exec(`rm -rf ${shellQuote(prefix)}`);
    const uv = await ensureUv(context, keeper, indexesOf(runtime));
    const bundled = await bundledWheels(context, content);
    if (bundled !== undefined) return installBundled(context, uv, prefix, bundled);
    await ensurePython(context, uv, foldersOf(context), python);
    const { order, cpuBuild, sourceOf, failed } = await wheelIndexes(context, uv, foldersOf(context), {
      gpu,
      files: wanted.files,
    });
    const needed = cpuBuild ? neededBytes.cpu : neededBytes.cuda;
    // Known sizes alone: the user's own index may have other builds.
    const environment = { ...wanted, uv, folder: filesFolder(prefix), cpuBuild };
    if (runtime.indexes === undefined && !(await isCached(context, environment)))
      await needBytes(shell, prefix, needed, context.signal);
    let unsolved: string | undefined;
    let other: string | undefined;
    let last = '';
    for (const address of order) {
      status.log.add(phrase('stepLog.from', { address: shownAddress(address) }));
      const result = await create(context, environment, sourceOf(address));
      if (result.code === 0) return;
      last = lastWords(result);
      const final = failureOf(context, environment, result, needed);
      if (final !== undefined) throw final;
      // A mirror may lack the newest packages: another is asked before the user is.
      unsolved ??= unsolvedReason(result.stderr);
      other ??= otherReason(result.stderr);
      status.log.add(phrase('stepLog.nextMirror', { address: shownAddress(address) }));
    }
    if (unsolved !== undefined)
      throw new RinglabError('wheels_unsolved', { reason: unsolved }, { detail: last });
    if (other !== undefined) throw new RinglabError('wheels_failed', { reason: other }, { detail: last });
    throw failed(last);
  };

  return {
    bringsImages: false,
    find: async (context) => findAt(context, (await wantedIn(context)).prefix),
    python: async (context) => `${(await wantedIn(context)).prefix}/bin/python`,
    install,
    async pack(context) {
      const uv = await ensureUv(context, keeper, indexesOf(wheelsRuntimeOf(context)));
      return packWheels(context, await wantedIn(context), uv, foldersOf(context));
    },
    uv: (context) =>
      keeper.get(known(context.work, 'facts').arch, indexesOf(wheelsRuntimeOf(context)), (line) =>
        context.status.log.add(line),
      ),
    async plan(context) {
      const { gpu: _, content, ...wanted } = await wantedIn(context);
      const { tried: indexes, sourceOf } = indexesFor(context, wanted.files);
      const uv = uvPath(context, keeper);
      const folder = `${wanted.prefix}.files`;
      const bundled = await bundledWheels(context, content);
      const environment =
        bundled === undefined
          ? { ...wanted, uv, folder, cpuBuild: false }
          : bundledEnvironment(uv, wanted.prefix, folder, bundled);
      const source: WheelSource =
        bundled === undefined ? sourceOf(indexes[0] ?? '') : { folder: wheelsOnNode(context) };
      const what = phrase('changes.wheels.environment', { folder: wanted.prefix });
      return [
        ...((await hasUv(context, keeper))
          ? []
          : [
              {
                what: phrase('changes.wheels.uv', { version: uvVersion }),
                command: uploadWords(`uv ${uvVersion}`, uv),
              },
            ]),
        ...(bundled === undefined
          ? [inWords(phrase('changes.wheels.python', { python: wanted.python }))]
          : planBundledWheels(context, bundled)),
        ...Object.keys(environment.files).map((name): PlannedChange => ({
          what: phrase('changes.wheels.files'),
          command: uploadWords(name, `${folder}/${name}`),
        })),
        ...(bundled === undefined
          ? [inWords(phrase('changes.wheels.fastest', { indexes: indexes.map(shownAddress) }))]
          : []),
        { what, command: createScript(environment, foldersOf(context), withoutLogins(source)) },
      ];
    },
  };
}
