/** Builds the trainer with CMake and Ninja. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { inEnglish, lastLines, runCommand } from './command.mjs';
import { missingOf, trainerPackages } from './debian-packages.mjs';
import { hasApt, installedListing } from './debian.mjs';
import { SetupFailure } from './failure.mjs';
import { inProject, nativeBuild } from './project.mjs';
import { createStamp, hashOf } from './stamp.mjs';

/** The approximate memory for compiling a translation unit that includes libtorch's headers. */
const bytesPerCompiler = 1.6 * 1024 ** 3;

/**
 * The memory that programs may use here, in bytes: a container's is less than the machine's.
 * @param {number} machine
 * @param {number | undefined} limit as Node tells it: 0, undefined or more than any machine has where there is none
 */
export const usableMemory = (machine = totalmem(), limit = process.constrainedMemory?.()) =>
  limit === undefined || limit <= 0 ? machine : Math.min(machine, limit);

/** How many compilers fit into the memory here. */
export const compilers = (cores = availableParallelism(), memory = usableMemory()) =>
  Math.max(1, Math.min(cores, Math.floor(memory / bytesPerCompiler)));

/**
 * @typedef {object} NativeBuild
 * @property {string} folder
 * @property {readonly string[]} options of CMake's configuration
 * @property {string} name of the step, and of its stamp
 * @property {readonly string[]} [targets] what Ninja builds; everything by default
 *
 * @type {NativeBuild}
 */
const releaseBuild = { folder: nativeBuild, options: ['-DCMAKE_BUILD_TYPE=Release'], name: 'trainer' };

/** Where the build's glibc is noted: another computer that gets the trainer in a package sends it to nodes that have this one. */
const glibcNote = (folder) => join(folder, 'ringlab-train.glibc');

/** @param {string} folder of a build. Writes nothing in it where the system's C library is another. */
export async function noteGlibc(folder) {
  const { output } = await runCommand('getconf', ['GNU_LIBC_VERSION']);
  writeFileSync(glibcNote(folder), `${/^glibc (\d+\.\d+)/.exec(output)?.[1] ?? ''}\n`);
}

/** Whether a trainer was built in this folder, perhaps from older sources. */
export const hasTrainer = () => existsSync(join(nativeBuild, 'ringlab-train'));

/**
 * @param {import('./progress.mjs').Progress} progress
 * @param {NativeBuild} [build]
 */
export async function buildNative(progress, { folder, options, name, targets = [] } = releaseBuild) {
  const tools = hasApt() ? await installedListing(trainerPackages) : '';
  const hash = hashOf(['native'], { words: [...options, tools, process.arch] });
  const stamp = createStamp(
    name,
    targets.length > 0 ? [] : [join(folder, 'ringlab-train'), glibcNote(folder)],
  );
  if (stamp.holds(hash)) return;
  await needTools(tools);
  const old = oldLibtorch(tools);
  if (old !== undefined)
    throw new SetupFailure(
      `libtorch ${old} of this system is too old for the trainer, which needs 1.13 or newer`,
      'choose PyTorch’s wheels as the runtime of experiments on this computer; the trainer is then built for these',
    );
  await progress.step(`${name} (C++, libtorch)`, async (step) => {
    step.now('configuring');
    const configure = () =>
      runCommand('cmake', ['-S', inProject('native'), '-B', folder, '-G', 'Ninja', ...options], {
        env: inEnglish(),
      });
    let result = await configure();
    if (result.code !== 0 && /CMakeCache\.txt/.test(result.output)) {
      // The project folder was moved, or another generator was used here: CMake cannot continue with its cache.
      rmSync(folder, { recursive: true, force: true });
      result = await configure();
    }
    if (result.code !== 0) {
      throw new SetupFailure(
        'CMake could not configure the trainer',
        'its last lines name what it misses; install that and start again (`npm run ringlab -- doctor` lists what is needed)',
        lastLines(result.output, 40),
      );
    }
    result = await runCommand('ninja', ['-C', folder, '-j', String(compilers()), ...targets], {
      env: { ...inEnglish(), NINJA_STATUS: '[%f/%t] ' },
      onLine: (line) => {
        const at = /^\[(\d+\/\d+)\]/.exec(line)?.[1];
        if (at !== undefined) step.now(`${at} compiled`);
      },
    });
    if (result.code !== 0)
      throw new SetupFailure(
        'the trainer does not compile',
        buildRemedy(result.output),
        errorsOf(result.output),
      );
    if (targets.length === 0) await noteGlibc(folder);
    stamp.write(hash);
  });
}

/** @param {string} listing */
async function needTools(listing) {
  const missing = hasApt() ? missingOf(trainerPackages, listing) : [];
  if (missing.length > 0 && !(await canConfigure())) {
    throw new SetupFailure(
      `the trainer cannot be built without ${missing.join(', ')}`,
      'install them (the line is above), then start again',
    );
  }
  if (hasApt() || (await canConfigure())) return;
  throw new SetupFailure(
    'the trainer cannot be built here: CMake and Ninja are not both to be found',
    'install CMake, Ninja, a C++17 compiler, libtorch (https://pytorch.org; set CMAKE_PREFIX_PATH to it), libjpeg and zlib (and libtiff and libwebp, for images of these kinds), then start again.\n' +
      'Without a trainer of its own this computer can still run experiments on other nodes, which build it themselves',
  );
}

/** @param {string} listing of dpkg-query @returns {string | undefined} the version of a libtorch that is too old */
export function oldLibtorch(listing) {
  const [, version, major, minor] = /^libtorch-dev .i +((\d+)\.(\d+)[\d.]*)/m.exec(listing) ?? [];
  return version !== undefined && Number(major) === 1 && Number(minor) < 13 ? version : undefined;
}

async function canConfigure() {
  const codes = await Promise.all(['cmake', 'ninja'].map((tool) => runCommand(tool, ['--version'])));
  return codes.every(({ code }) => code === 0);
}

/** @param {string} output of Ninja */
export function buildRemedy(output) {
  if (/Killed signal terminated program|internal compiler error: Killed|out of memory/i.test(output))
    return 'the compiler ran out of memory: close other programs or add swap, then start again';
  if (/No space left on device/.test(output))
    return 'the disk is full: the build needs about 500 MB; make room, then start again';
  if (/fatal error: .*: No such file or directory/.test(output))
    return 'a header is missing: install the package that brings it, then start again';
  return 'the lines above are the compiler’s; mend native/ and start again';
}

/** The output from the first failing command on: what Ninja printed elsewhere is noise. @param {string} output */
export function errorsOf(output) {
  const lines = output.trimEnd().split('\n');
  const first = lines.findIndex((line) => line.startsWith('FAILED:'));
  return (first < 0 ? lines.slice(-40) : lines.slice(first, first + 60)).join('\n');
}
