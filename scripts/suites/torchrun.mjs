/** Runs the trainer under torchrun: Debian's version, and the newest on PyPI. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, nativeBuild } from '../setup/project.mjs';
import { sum } from './counts.mjs';
import { show } from './show.mjs';
import { runCtest } from './suites.mjs';

/** Every launch of e2e_torchrun.py; CTest has the default rendezvous and one restart. */
const everyLaunch = (report, environment) =>
  runCtest(nativeBuild, report, (program, args) =>
    show(program, [...args, '-R', 'e2e_torchrun'], { RINGLAB_ALL: '1', ...environment }),
  );

/**
 * Made once and updated at each run: 5 GB, since PyPI's PyTorch for Linux is the one for CUDA.
 * @returns {Promise<string | undefined>} its torchrun; undefined, with a message, if it cannot be installed
 */
async function newestTorchrun() {
  const folder = join(cacheFolder, 'torchrun');
  const python = join(folder, 'bin', 'python');
  mkdirSync(cacheFolder, { recursive: true });
  if (!existsSync(python) && (await show('python3', ['-m', 'venv', folder])) !== 0) {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  const pip = ['-m', 'pip', 'install', '--quiet', '--upgrade', '--disable-pip-version-check'];
  if ((await show(python, [...pip, 'torch', 'numpy'])) !== 0) return undefined;
  await show(python, ['-c', 'import torch; print("torchrun of PyTorch", torch.__version__)']);
  return join(folder, 'bin', 'torchrun');
}

/** @returns {Promise<import('./counts.mjs').Counts>} */
export async function torchrun() {
  const debian = await everyLaunch('ctest-torchrun.xml', {});
  const newest = process.env.RINGLAB_TORCHRUN ?? (await newestTorchrun());
  if (newest !== undefined) {
    return sum([debian, await everyLaunch('ctest-torchrun-newest.xml', { RINGLAB_TORCHRUN: newest })]);
  }
  process.stdout.write('skipped: PyPI’s PyTorch cannot be installed here (python3-venv, network)\n');
  return sum([debian, { passed: 0, failed: 0, skipped: 1 }]);
}
