/** What of an environment of wheels a bundle carries for nodes without internet. */
import { shownAddress } from '../../../../shared/base/shown-address.ts';
import { known, type StepContext } from '../../engine/step.ts';
import { ensurePython, pythonLine } from './uv-python.ts';
import type { UvFolders } from './uv-folders.ts';
import { filesFolder } from './wheels-commands.ts';
import type { WantedEnvironment } from './wheels-content.ts';
import { cpuIndex, wheelIndexes } from './wheels-indexes.ts';
import { solveWheels, type SolvedWheel } from './wheels-solve.ts';
import { phrase } from '../../../i18n/index.ts';

export interface WheelsPack {
  /** The content's hash, by which a node finds it. */
  readonly content: string;
  /** `3.11` */
  readonly python: string;
  readonly wheels: readonly SolvedWheel[];
  /** Where they are, the fastest first. */
  readonly indexes: readonly string[];
}

/**
 * Asks uv on the node, which needs internet.
 * @param uv its path on the node
 * @throws wheels_unsolved, wheels_no_python, bundle_no_wheel, mirrors_failed
 */
export async function packWheels(
  context: StepContext,
  { content, gpu, headers, ...wanted }: WantedEnvironment,
  uv: string,
  folders: UvFolders,
): Promise<WheelsPack> {
  await ensurePython(context, uv, folders, wanted.python);
  const python = await pythonLine(context, uv, folders, wanted.python);
  const { arch } = known(context.work, 'facts');
  const { order, beside, cpuBuild, sourceOf, failed } = await wheelIndexes(context, uv, folders, {
    gpu,
    files: wanted.files,
  });
  // An address with a variable of the node is unknown to this computer.
  const named = beside.filter((address) => URL.canParse(address) && !address.includes('${'));
  let first: unknown;
  for (const index of order) {
    try {
      const asked = { files: wanted.files, uv, folder: filesFolder(wanted.prefix), cpuBuild };
      const source = sourceOf(index);
      const wheels = await solveWheels(context, asked, folders, { python, arch, index, source, headers });
      const others = order.filter((one) => one !== index);
      const indexes = [...(cpuBuild ? [cpuIndex] : []), ...named, index, ...others];
      return { content, python, wheels, indexes };
    } catch (error) {
      context.signal.throwIfAborted();
      // A mirror may lack the newest packages.
      first ??= error;
      context.status.log.add(phrase('stepLog.nextMirror', { address: shownAddress(index) }));
    }
  }
  throw first instanceof Error ? first : failed('');
}
