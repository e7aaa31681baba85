/** What an environment of wheels is made of, which names its folder on the node. */
import { wheelsFolder } from '../../../base/node-layout.ts';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { runtimeOf } from '../../../../shared/lab/lab.ts';
import type { Runtime } from '../../../../shared/lab/runtime.ts';
import type { NodeFacts } from '../../../../shared/node/provision.ts';
import { hashText } from '../../../transfer/index.ts';
import { wantsGpu } from '../../node/libtorch.ts';
import { compareVersions } from '../../node/versions.ts';
import { known, type StepContext } from '../../engine/step.ts';
import { namedIndexes } from './named-indexes.ts';
import { uvVersion, wheelArchitectures } from './uv.ts';
import { filesFor, type WheelsEnvironment } from './wheels-commands.ts';
import { chooseTorch, numpyFor, oldestPythonFor } from './wheels-torch.ts';
import { buildsNamed, torchNamed, wantedPackages, type CodeFolder } from './wheels-wanted.ts';

const glibcNeeded = '2.28';

export const wheelsRuntimeOf = ({ lab }: StepContext): Extract<Runtime, { type: 'wheels' }> => {
  const runtime = runtimeOf(lab);
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

/**
 * Its Python is the system's own, mostly: where machines share a home, those of another release or architecture have
 * another folder.
 */
const folderName = (content: string, { arch, system }: NodeFacts): string =>
  hashText(JSON.stringify([content, arch, system.id, system.version.split('.')[0]])).slice(0, 16);

export interface WantedEnvironment extends Omit<WheelsEnvironment, 'uv' | 'folder' | 'cpuBuild'> {
  /** The hash by which runs share it, and by which a bundle has it. */
  readonly content: string;
  readonly gpu: boolean;
}

/** What is sent, and not what the folder holds by now: for a repository, too. */
const sentFolder = ({ code, signal }: StepContext): CodeFolder | undefined =>
  code === undefined ? undefined : async () => (await code.take({ signal })).manifest.root;

const minorOf = (python: string): number => Number(python.split('.')[1]);

/**
 * A minor version of Python 3: where the node's own is older, an own script's environment may have a newer one, of uv or of
 * a bundle.
 * @throws file_unreadable, requirement_local, requirement_unlisted
 */
export async function oldestPythonOf(context: StepContext): Promise<number> {
  const { python, torch } = wheelsRuntimeOf(context);
  if (python !== undefined) return minorOf(python);
  const folder = sentFolder(context) ?? (() => Promise.resolve(undefined));
  const wanted = await wantedPackages(context.lab, '', folder);
  const named = torch ?? torchNamed(wanted);
  const asked = Number(/(?:[>~]=|==|>)\s*3\.(\d{1,2})/.exec(wanted.python ?? '')?.[1] ?? 0);
  const bundled = (await context.bundle?.read())?.wheels ?? [];
  return Math.max(oldestPythonFor(named), asked, ...bundled.map((part) => minorOf(part.python)));
}

/**
 * @param home the user's own home folder on this computer
 * @param codeFolder where a script's code is on this computer
 * @throws wheels_system, wheels_driver_old, wheels_gpu_old, wheels_no_driver, wheels_no_gpu, file_unreadable, requirement_local, requirement_unlisted
 */
export async function wantedEnvironment(
  context: StepContext,
  home: string,
  codeFolder: CodeFolder,
): Promise<WantedEnvironment> {
  refuseOtherSystems(context);
  const facts = known(context.work, 'facts');
  const runtime = wheelsRuntimeOf(context);
  const gpu = wantsGpu(context.node, facts, context.lab.experiment.backend);
  const packages = await wantedPackages(context.lab, home, sentFolder(context) ?? codeFolder);
  const headers = context.lab.experiment.script === undefined;
  const { python, torch = torchNamed(packages) } = runtime;
  const { requirement, python: interpreter } = chooseTorch(
    { python, torch, builds: buildsNamed(packages, torch, runtime.indexes ?? []), requires: packages.python },
    facts,
    gpu,
    headers,
  );
  const namesNumpy = packages.packages.some((one) => one !== 'numpy' && /^numpy(?![\w.-])/i.test(one));
  const fitting = packages.packages.map((one) =>
    one === 'numpy' && !namesNumpy ? numpyFor(requirement) : one,
  );
  const files = filesFor({ ...packages, packages: fitting }, requirement);
  // Before, uv passed over some of what the files name: an environment from then may have other packages.
  const { own, beside, locked } = namedIndexes(files);
  const named = own === undefined && beside.length + locked.length === 0 ? [] : ['named indexes'];
  const indexes = runtime.indexes ?? [];
  const parts = [uvVersion, interpreter, files, indexes, gpu ? 'cuda' : 'cpu', headers, ...named];
  const content = hashText(JSON.stringify(parts)).slice(0, 16);
  return {
    ...{ content, files, gpu, headers },
    prefix: wheelsFolder(facts.home, folderName(content, facts)),
    python: interpreter,
  };
}
