/** Builds and tests the trainer with Debian trixie's libtorch 2.6: for the CPU with all its tests, and for CUDA. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compilers } from '../setup/native.mjs';
import { lastLines } from '../setup/command.mjs';
import { SetupFailure } from '../setup/failure.mjs';
import { createProgress } from '../setup/progress.mjs';
import { cacheFolder, inProject, nativeBuild } from '../setup/project.mjs';
import { debianChroot, noChroot } from './chroot.mjs';
import { sum } from './counts.mjs';
import { show } from './show.mjs';
import { runCtest } from './suites.mjs';

/** What the trainer and its tests are compiled against, beside libtorch. */
export const librariesBeside = [
  'libjpeg-dev',
  'libtiff-dev',
  'libwebp-dev',
  'zlib1g-dev',
  'libgtest-dev',
  'libpng-dev',
];
const compiling = ['g++', 'cmake', 'ninja-build', ...librariesBeside];
const trixie = { suite: 'trixie', sections: 'main contrib non-free' };

/** @param {boolean} passed @returns {import('./counts.mjs').Counts} */
export const one = (passed) => ({ passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 });

/** @returns {import('./counts.mjs').Counts | undefined} the skip counts if it cannot run here */
export function skipped() {
  const reason = noChroot();
  if (reason === undefined) return undefined;
  process.stdout.write(`skipped: ${reason}\n`);
  return { passed: 0, failed: 0, skipped: 1 };
}

/**
 * All warnings are errors: a successful build has none.
 * @param {{ show: (program: string, args: readonly string[]) => Promise<number> }} place the chroot, or this machine
 * @param {string} folder
 * @param {readonly string[]} [options]
 */
export async function build(place, folder, options = []) {
  const configure = [
    '-S',
    inProject('native'),
    '-B',
    folder,
    '-G',
    'Ninja',
    '-DCMAKE_BUILD_TYPE=Release',
    ...options,
  ];
  if ((await place.show('cmake', configure)) !== 0) {
    // The project folder was moved, or the chroot was made again: CMake cannot continue with its cache.
    rmSync(folder, { recursive: true, force: true });
    if ((await place.show('cmake', configure)) !== 0) return false;
  }
  return (await place.show('ninja', ['-C', folder, '-j', String(compilers())])) === 0;
}

/** libtorch 2.6 with Gloo: builds, runs all tests on Python's torch 2.6, and exchanges checkpoints with 1.13. */
export async function libtorch26() {
  const cannot = skipped();
  if (cannot !== undefined) return cannot;
  const chroot = await debianChroot(createProgress(), {
    ...trixie,
    name: 'trixie',
    packages: [...compiling, 'libtorch-dev', 'python3-torch', 'python3-torchvision'],
  });
  const folder = inProject('native', 'build-libtorch-2.6');
  if (!(await build(chroot, folder))) return one(false);
  // One architecture of each family: only here they are compared with torchvision 0.21.
  const tests = await runCtest(folder, 'ctest-libtorch-2.6.xml', (program, args) =>
    chroot.show(program, args, { RINGLAB_FAMILIES: '1' }),
  );
  return sum([one(true), tests, await exchange(chroot, join(folder, 'ringlab-train'))]);
}

/** Checkpoints of the trainer on 1.13 in Python's torch 2.6 and in the trainer on 2.6, and back. */
async function exchange(chroot, newTrainer) {
  mkdirSync(cacheFolder, { recursive: true });
  const folder = mkdtempSync(join(cacheFolder, 'exchange-'));
  const script = inProject('native', 'tests', 'exchange_checkpoints.py');
  const oldTrainer = join(nativeBuild, 'ringlab-train');
  const onHost = (...args) => show('/usr/bin/python3', ['-B', script, ...args]);
  const inChroot = (...args) => chroot.show('python3', ['-B', script, ...args]);
  try {
    const steps = [
      ['libtorch 1.13 trains and saves', () => onHost(oldTrainer, folder, 'train')],
      [
        "Python's torch 2.6 opens it with its defaults, goes on, saves",
        () => inChroot(newTrainer, folder, 'python'),
      ],
      ['libtorch 1.13 takes that back', () => onHost(oldTrainer, folder, 'evaluate')],
      ['libtorch 2.6 takes it too', () => inChroot(newTrainer, folder, 'evaluate')],
      ["libtorch 2.6 resumes 1.13's own and saves", () => inChroot(newTrainer, folder, 'resume')],
      ["libtorch 1.13 resumes 2.6's", () => onHost(oldTrainer, folder, 'resume-again')],
    ];
    const counts = [];
    for (const [name, step] of steps) {
      const passed = (await step()) === 0;
      process.stdout.write(`${passed ? '✓' : '✗'} ${name}\n`);
      counts.push(one(passed));
    }
    return sum(counts);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** libtorch 2.6 for CUDA with NCCL: compiles, links, and runs what needs no GPU. */
export async function libtorchCuda() {
  const cannot = skipped();
  if (cannot !== undefined) return cannot;
  const chroot = await debianChroot(createProgress(), {
    ...trixie,
    name: 'trixie-cuda',
    packages: [...compiling, 'libnccl-dev', 'libtorch-cuda-dev'],
    afterFailure: withoutCudnn,
  });
  const folder = inProject('native', 'build-libtorch-cuda');
  if (!(await build(chroot, folder))) return one(false);
  const facts = await chroot.run(join(folder, 'ringlab-train'), ['facts']);
  process.stdout.write(facts.output);
  const { cuda, nccl } = facts.code === 0 ? JSON.parse(lastLines(facts.output, 1)) : {};
  const tests = await runCtest(folder, 'ctest-libtorch-cuda.xml', chroot.show);
  return sum([one(typeof cuda === 'string'), one(typeof nccl === 'string'), tests]);
}

/**
 * Debian's `nvidia-cudnn` contains no library: it downloads one from NVIDIA during installation. If NVIDIA cannot be
 * reached, everything else is unpacked and only libcudnn is missing. A fake library of that name exports the symbols that
 * libtorch needs, without an implementation, so that the trainer links and runs on the CPU.
 * @param {string} failed
 * @param {import('./chroot.mjs').Chroot} chroot
 */
async function withoutCudnn(failed, chroot) {
  if (!/nvidia-cudnn/.test(failed)) {
    throw new SetupFailure(
      `apt could not install libtorch for CUDA in ${chroot.folder}`,
      'start again: it goes on where it was',
      lastLines(failed, 30),
    );
  }
  const script = `set -e
cd /usr/lib/x86_64-linux-gnu
nm -D --undefined-only libtorch_cuda.so | sed -n 's/.* U \\(cudnn[A-Za-z0-9_]*\\)@.*/void \\1(void);void \\1(void){__builtin_trap();}/p' > /tmp/cudnn.c
test -s /tmp/cudnn.c
echo 'libcudnn.so.9 { global: cudnn*; };' > /tmp/cudnn.map
gcc -shared -fPIC -o libcudnn.so.9 -Wl,-soname,libcudnn.so.9 -Wl,--version-script,/tmp/cudnn.map /tmp/cudnn.c
ldconfig`;
  const { code, output } = await chroot.run('sh', ['-c', script]);
  if (code !== 0)
    throw new SetupFailure(
      'no stand-in for libcudnn could be made',
      'see the lines above',
      lastLines(output, 20),
    );
  const note = join(chroot.folder, 'without-cudnn');
  writeFileSync(note, 'nvidia-cudnn could not fetch its library: libcudnn.so.9 here exports names alone\n');
  process.stdout.write(readFileSync(note, 'utf8'));
}
