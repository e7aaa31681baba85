/**
 * `runtime: wheels`: a virtual environment of PyTorch's own wheels, made by uv in a folder named after its content. Runs
 * with the same content share it; the trainer is built against the libtorch in it.
 */
import { randomUUID } from 'node:crypto';
import { wheelsFolder } from '../../base/node-layout.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runtimeOf as runtimeOfLab } from '../../../shared/lab/lab.ts';
import { indexesOf, type Runtime } from '../../../shared/lab/runtime.ts';
import { shellQuote } from '../../ssh/index.ts';
import { hashText, isDiskFullMessage, needBytes } from '../../transfer/index.ts';
import { measureMirrors, mirrorsFailed } from '../download/mirrors.ts';
import { findTorch } from '../node/find-torch.ts';
import { runLasting } from '../node/lasting.ts';
import { wantsGpu, type Libtorch } from '../node/libtorch.ts';
import { lastWords } from '../node/node-shell.ts';
import { inWords, uploadWords, type PlannedChange } from '../node/planned-change.ts';
import { compareVersions } from '../node/versions.ts';
import { known, type StepContext } from '../engine/step.ts';
import { phrase } from '../../i18n/index.ts';
import type { RuntimeSource } from './runtime.ts';
import { uvFolders, uvWork, type UvFolders } from './uv-folders.ts';
import { ensurePython } from './uv-python.ts';
import { ensureUv, hasUv, uvPath, uvVersion, wheelArchitectures, type UvKeeper } from './uv.ts';
import {
  cachedScript,
  cpuBuildScript,
  createScript,
  downloadProgress,
  failureReason,
  filesFor,
  noImport,
  noPython,
  unsolvedReason,
  wheelsMark,
  type WheelsEnvironment,
} from './wheels-commands.ts';
import { chooseTorch } from './wheels-torch.ts';
import { ownCodeFolder, torchNamed, wantedPackages, type CodeFolder } from './wheels-wanted.ts';

export interface WheelsOptions {
  readonly uv: UvKeeper;
  /** The user's own home folder on this computer. */
  readonly home: string;
  /** A folder of this computer, for the downloads of all local nodes. */
  readonly shared: string;
  /** Where a script's code is on this computer; default: the folder that the experiment names. */
  readonly codeFolder?: CodeFolder;
}

const glibcNeeded = '2.28';
const installMinutes = 240;
/** Unpacked sizes with a margin: PyTorch for the CPU; for CUDA with the `nvidia-*` wheels that it requires (6.6 GB). */
const neededBytes = { cpu: 1.6e9, cuda: 8e9 };
type WheelsRuntime = Extract<Runtime, { type: 'wheels' }>;

const runtimeOf = ({ lab }: StepContext): WheelsRuntime => {
  const runtime = runtimeOfLab(lab);
  if (runtime.type !== 'wheels') throw new Error('asked for wheels where the runtime is another');
  return runtime;
};

/** Throws wheels_system. */
function refuseOtherSystems(context: StepContext): void {
  const { glibc, arch, system } = known(context.work, 'facts');
  const fits =
    glibc !== undefined && compareVersions(glibc, glibcNeeded) >= 0 && wheelArchitectures.includes(arch);
  if (fits) return;
  throw new RinglabError('wheels_system', {
    needed: glibcNeeded,
    found: glibc === undefined ? 'musl' : `glibc ${glibc}`,
    system: `${system.pretty}, ${arch}`,
  });
}

interface Wanted extends Omit<WheelsEnvironment, 'uv' | 'folder' | 'cpuBuild'> {
  readonly gpu: boolean;
}

export function createWheelsRuntime(options: WheelsOptions): RuntimeSource {
  const { uv: keeper, home, shared, codeFolder = ownCodeFolder } = options;
  const foldersOf = ({ node, work }: StepContext): UvFolders =>
    uvFolders(node, known(work, 'facts').home, shared);

  /** Throws wheels_system, wheels_driver_old, file_unreadable. */
  const wantedIn = async (context: StepContext): Promise<Wanted> => {
    refuseOtherSystems(context);
    const facts = known(context.work, 'facts');
    const runtime = runtimeOf(context);
    const gpu = wantsGpu(context.node, facts, context.lab.experiment.backend);
    // What is sent, and not what the folder holds by now: for a repository, too.
    const sent = context.code;
    const folder: CodeFolder =
      sent === undefined
        ? codeFolder
        : async () => (await sent.take({ signal: context.signal })).manifest.root;
    const packages = await wantedPackages(context.lab, home, folder);
    const headers = context.lab.experiment.script === undefined;
    const { python, torch } = runtime;
    const { requirement, python: interpreter } = chooseTorch(
      { python, torch: torch ?? torchNamed(packages) },
      facts,
      gpu,
      headers,
    );
    const files = filesFor(packages, requirement);
    const content = [uvVersion, interpreter, files, runtime.indexes ?? [], gpu ? 'cuda' : 'cpu', headers];
    const name = hashText(JSON.stringify(content)).slice(0, 16);
    return { prefix: wheelsFolder(facts.home, name), python: interpreter, files, gpu, headers };
  };

  const findAt = async (context: StepContext, prefix: string): Promise<Libtorch | undefined> => {
    const { stdout } = await context.shell.exec(
      `[ -e ${shellQuote(`${prefix}/${wheelsMark}`)} ] && echo whole`,
      { label: `look at ${prefix}`, quiet: true },
    );
    if (stdout.trim() !== 'whole') return undefined;
    const [found] = await findTorch(context.shell, prefix);
    if (found === undefined) return undefined;
    const { headers: _, ...libtorch } = found;
    return libtorch;
  };

  /** Whether PyTorch's own index of builds without CUDA answers; the user's own indexes are used alone. */
  const hasCpuBuild = async (
    context: StepContext,
    uv: string,
    gpu: boolean,
    index: string,
  ): Promise<boolean> => {
    const { shell, status, lab } = context;
    const { runtime } = lab.experiment;
    if (gpu || (runtime?.type === 'wheels' && (runtime.indexes?.length ?? 0) > 0)) return false;
    const asked = await shell.exec(cpuBuildScript(uv, foldersOf(context), index), {
      label: 'ask download.pytorch.org for PyTorch without CUDA',
      online: true,
    });
    if (asked.code !== 0) status.log.add('it is not reached: the build for CUDA is taken, which is larger');
    return asked.code === 0;
  };

  /** Then it takes little: its files are links. */
  const isCached = async (context: StepContext, environment: WheelsEnvironment): Promise<boolean> => {
    const script = cachedScript(environment, foldersOf(context));
    const { code } = await context.shell.exec(script, { label: 'look for PyTorch in uv’s downloads' });
    return code === 0;
  };

  const create = async (
    context: StepContext,
    environment: WheelsEnvironment,
    index: string,
  ): Promise<{ code: number | null; stdout: string; stderr: string }> => {
    const { shell, work, status } = context;
    const facts = known(work, 'facts');
    const { folder } = environment;
    for (const [name, text] of Object.entries(environment.files))
      await shell.upload({ bytes: Buffer.from(text) }, `${folder}/${name}`, { quiet: true });
    const command = createScript(environment, foldersOf(context), index);
    const progress = downloadProgress();
    // The folder identifies the content, whichever index running work has chosen.
    const lasting = { name: uvWork(facts), key: environment.prefix, stop: 'at once' } as const;
    const result = await runLasting({ shell, facts }, command, lasting, {
      label: command,
      timeoutMs: installMinutes * 60_000,
      online: true,
      onOutput(text, stream) {
        if (stream !== 'stderr') return;
        const { done, total } = progress(text);
        if (total > 0) status.progress(done, total, 'bytes');
      },
    });
    await shell.exec(`rm -rf ${shellQuote(folder)}`, { quiet: true });
    return result;
  };

  const install = async (context: StepContext): Promise<void> => {
    const { shell, status, work, node } = context;
    const { gpu, ...wanted } = await wantedIn(context);
    const { prefix, python } = wanted;
    const runtime = runtimeOf(context);
    if (context.redo) await shell.exec(`rm -rf ${shellQuote(prefix)}`);
    const tried = indexesOf(runtime);
    const log = (line: string): void => status.log.add(line);
    const uv = await ensureUv(context, keeper, tried);
    await ensurePython(context, uv, foldersOf(context), python);
    const measured = await measureMirrors(shell, tried, (index) => `${index}/torch/`, log);
    if (measured.mirrors.length === 0 && !measured.silent) throw mirrorsFailed(node, tried, measured);
    // A bare node has no program to measure with, and uv has certificates of its own.
    const order = measured.silent ? tried : measured.mirrors.map(({ address }) => address);
    const cpuBuild = await hasCpuBuild(context, uv, gpu, order[0] ?? '');
    const free = known(work, 'facts').diskFreeBytes;
    const needed = cpuBuild ? neededBytes.cpu : neededBytes.cuda;
    // Known sizes alone: the user's own index may have other builds.
    const folder = `${prefix}.files-${randomUUID().slice(0, 8)}`;
    const environment = { ...wanted, uv, folder, cpuBuild };
    if (runtime.indexes === undefined && !(await isCached(context, environment)))
      await needBytes(shell, prefix, needed, context.signal);
    let unsolved: string | undefined;
    let last = '';
    for (const address of order) {
      log(`from ${address}`);
      const result = await create(context, environment, address);
      if (result.code === 0) return;
      last = lastWords(result);
      if (isDiskFullMessage(last))
        throw new RinglabError('node_disk_full', { path: prefix, needed, free }, { detail: last });
      if (result.code === noPython)
        throw new RinglabError(
          'wheels_no_python',
          { python, reason: failureReason(result.stderr) },
          { detail: last },
        );
      if (result.code === noImport)
        throw new RinglabError(
          'wheels_no_import',
          { reason: last.trim().split('\n').at(-1) ?? '' },
          { detail: last },
        );
      // A mirror may lack the newest packages: another is asked before the user is.
      unsolved ??= unsolvedReason(result.stderr);
      log(`${address} did not give everything; the next one`);
    }
    if (unsolved !== undefined)
      throw new RinglabError('wheels_unsolved', { reason: unsolved }, { detail: last });
    throw mirrorsFailed(node, tried, measured, last);
  };

  return {
    bringsImages: false,
    find: async (context) => findAt(context, (await wantedIn(context)).prefix),
    python: async (context) => `${(await wantedIn(context)).prefix}/bin/python`,
    install,
    async plan(context) {
      const { gpu: _, ...wanted } = await wantedIn(context);
      const indexes = indexesOf(runtimeOf(context));
      const uv = uvPath(context, keeper);
      const folder = `${wanted.prefix}.files`;
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
        inWords(phrase('changes.wheels.python', { python: wanted.python })),
        ...Object.keys(wanted.files).map((name): PlannedChange => ({
          what: phrase('changes.wheels.files'),
          command: uploadWords(name, `${folder}/${name}`),
        })),
        inWords(phrase('changes.wheels.fastest', { indexes })),
        {
          what,
          command: createScript(
            { ...wanted, uv, folder, cpuBuild: false },
            foldersOf(context),
            indexes[0] ?? '',
          ),
        },
      ];
    },
  };
}
