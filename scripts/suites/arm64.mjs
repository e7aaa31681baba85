/**
 * Builds the trainer for arm64 with Debian's cross compiler against the libraries of an arm64 Debian 12, runs its C++ tests in that Debian
 * under QEMU's user-mode emulation, and trains with it and this machine's trainer together.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagesAtHand } from '../setup/debian.mjs';
import { createProgress } from '../setup/progress.mjs';
import { cacheFolder, inProject, nativeBuild, root } from '../setup/project.mjs';
import { debianChroot, inChroot } from './chroot.mjs';
import { sum } from './counts.mjs';
import { withArm64 } from './emulation.mjs';
import { build, librariesBeside, one, skipped } from './libtorch.mjs';
import { show } from './show.mjs';
import { runCtest } from './suites.mjs';

const triplet = 'aarch64-linux-gnu';

/** Libraries and headers are those of the chroot, programs this machine's. @param {string} sysroot */
const crossOptions = (sysroot) => [
  '-DCMAKE_SYSTEM_NAME=Linux',
  '-DCMAKE_SYSTEM_PROCESSOR=aarch64',
  `-DCMAKE_SYSROOT=${sysroot}`,
  `-DCMAKE_CXX_COMPILER=${triplet}-g++`,
  `-DCMAKE_LIBRARY_ARCHITECTURE=${triplet}`,
  '-DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER',
  ...['LIBRARY', 'INCLUDE', 'PACKAGE'].map((kind) => `-DCMAKE_FIND_ROOT_PATH_MODE_${kind}=ONLY`),
  // The chroot's links to BLAS are absolute: the linker does not find what libtorch's libraries need of it.
  '-DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined',
  // The tests are listed where they run: in the chroot.
  '-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST',
  '-DRINGLAB_TEST_TIMEOUT=3600',
];

/** The end-to-end tests in Python wait for seconds, of which an emulated processor needs minutes. */
const cppOnly = ['--exclude-regex', '^(e2e|bench|python)_'];

/** An input may take twelve times the processor's time. */
const emulated = { RINGLAB_FUZZ_SECONDS: '60' };

/** @returns {Promise<import('./counts.mjs').Counts>} */
export async function arm64() {
  const cannot = skipped();
  if (cannot !== undefined) return cannot;
  const progress = createProgress();
  await packagesAtHand(progress, [`g++-${triplet}`]);
  return await withArm64(progress, async () => {
    const chroot = await debianChroot(progress, {
      name: 'bookworm-arm64',
      suite: 'bookworm',
      sections: 'main',
      arch: 'arm64',
      packages: [...librariesBeside, 'cmake', 'libtorch-dev', 'python3-torch'],
    });
    const folder = inProject('native', 'build-arm64');
    if (!(await build({ show }, folder, crossOptions(chroot.folder)))) return one(false);
    const tests = await runCtest(folder, 'ctest-arm64.xml', (program, args) =>
      chroot.show(program, [...args, ...cppOnly], emulated),
    );
    return sum([one(true), tests, await together(chroot, join(folder, 'ringlab-train'))]);
  });
}

/** Both kinds of processors in one run; Python on arm64 opens its checkpoint. */
async function together(chroot, trainer) {
  mkdirSync(cacheFolder, { recursive: true });
  const folder = mkdtempSync(join(cacheFolder, 'mixed-'));
  try {
    const script = inProject('native', 'tests', 'mixed_processors.py');
    const other = ['unshare', ...inChroot(chroot.folder, [trainer], { shared: root, cwd: folder })];
    const trained = await show('/usr/bin/python3', [
      '-B',
      script,
      join(nativeBuild, 'ringlab-train'),
      folder,
      ...other,
    ]);
    const open = `import torch; print(sorted(torch.load('${join(folder, 'model_best.pth.tar')}', map_location='cpu')))`;
    const opened = await chroot.show('python3', ['-c', open]);
    return sum([one(trained === 0), one(opened === 0)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
