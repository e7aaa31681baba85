/** The parts of `npm run test:full`: the suites of `npm test`, and those that are too slow for it. */
import { accountingPackages, controlPlanePackages } from '../setup/debian-packages.mjs';
import { packagesAtHand } from '../setup/debian.mjs';
import { buildNative } from '../setup/native.mjs';
import { createProgress } from '../setup/progress.mjs';
import { inProject, nativeBuild } from '../setup/project.mjs';
import { bareDebian, bareDebian13 } from './bare-debian.mjs';
import { bareNode, bareOffline, bareTrixie } from './bare-node.mjs';
import { sum } from './counts.mjs';
import { packages } from './packages.mjs';
import { arm64 } from './arm64.mjs';
import { libtorch26, libtorchCuda } from './libtorch.mjs';
import { show } from './show.mjs';
import { runCtest, suites } from './suites.mjs';
import { torchrun } from './torchrun.mjs';
import { wheels } from './wheels.mjs';

const program = [
  'src',
  'scripts',
  'e2e',
  'bench',
  'assets',
  'package-lock.json',
  'vite.config.ts',
  'vitest.config.ts',
];
const everything = [...program, 'native', 'python'];
/** What the app does without its window: services, command line, trainer. */
const withoutWindow = [
  'src/main',
  'src/shared',
  'scripts',
  'assets',
  'package-lock.json',
  'vitest.config.ts',
  'native',
  'python',
];

/**
 * CTest on the trainer with AddressSanitizer and UndefinedBehaviorSanitizer.
 * @param {string} report the name of its file
 * @param {Record<string, string>} environment
 * @param {readonly string[]} selection of tests, for ctest
 * @param {readonly string[]} targets what has to be built for them; empty: everything
 */
async function onSanitizedBuild(report, environment, selection, targets) {
  const folder = inProject('native', 'build-sanitized');
  await buildNative(createProgress(), {
    folder,
    options: ['-DCMAKE_BUILD_TYPE=RelWithDebInfo', '-DRINGLAB_SANITIZE=ON', '-DRINGLAB_TEST_TIMEOUT=1800'],
    name: ['trainer-sanitized', ...targets].join('-'),
    targets,
  });
  const env = { UBSAN_OPTIONS: 'halt_on_error=1:print_stacktrace=1', ...environment };
  return runCtest(folder, report, (program, args) => show(program, [...args, ...selection], env));
}

/**
 * libtorch itself leaks at exit, which is not our fault; neither are the out-of-bounds reads of Debian's oneDNN when it
 * makes bfloat16 kernels for AMX, which the environment therefore disables.
 */
const sanitizers = () =>
  onSanitizedBuild(
    'ctest-sanitized.xml',
    { ASAN_OPTIONS: 'detect_leaks=0:abort_on_error=1', DNNL_MAX_CPU_ISA: 'AVX512_CORE_BF16' },
    [],
    [],
  );

const fuzzCases = { RINGLAB_FUZZ_CASES: '10000' };

/**
 * The trainer's fuzz tests do not link libtorch, so leaks there are ours. Their memory limit is the readers' own, so the
 * sanitizer keeps little freed memory in quarantine.
 */
const fuzz = async (node) =>
  sum([
    await onSanitizedBuild(
      'ctest-fuzz.xml',
      { ASAN_OPTIONS: 'detect_leaks=1:abort_on_error=1:quarantine_size_mb=16', ...fuzzCases },
      ['-L', 'fuzz'],
      ['fuzz_tests'],
    ),
    await suite('unit', node, ['.fuzz.test'], fuzzCases),
  ]);

const ofArchitectures = 'e2e_models|e2e_pretrained|e2e_transform_input|engine_models';

/**
 * Every case of the trainer's tests; CTest has only the quick ones by default.
 * @param {string} report the name of its file
 * @param {readonly string[]} selection of tests, for ctest
 */
const everyCase = (report, selection) =>
  runCtest(nativeBuild, report, (program, args) =>
    show(program, [...args, ...selection], { RINGLAB_ALL: '1' }),
  );

/** CTest has five quick architectures. */
const architectures = () => everyCase('ctest-models.xml', ['-R', ofArchitectures]);

/** CTest has a few steps at four world sizes. This takes long, so each comparison is shown at once (`-V`). */
const equality = () => everyCase('ctest-equality.xml', ['-R', 'e2e_equal', '-j', '1', '-V']);

/** The end-to-end tests that no other part has. */
const trainer = () =>
  everyCase('ctest-trainer.xml', ['-R', 'e2e_', '-E', `${ofArchitectures}|e2e_equal|e2e_torchrun`]);

const suite = (name, ...args) => suites.find((one) => one.name === name).run(...args);

/** What a plain `npm test` leaves out, and CI runs. */
const slow = async (node) =>
  sum([
    await suite('unit', node, ['.slow.test']),
    await suite('native', node, ['-L', 'slow']),
    await suite('e2e', node, [String.raw`\.slow\.spec`]),
  ]);
const full = { RINGLAB_FULL: '1' };
const drawnNetworks = (node) => suite('unit', node, ['drawn-network'], full);
const services = (node) =>
  suite(
    'unit',
    node,
    [
      ...['service/trainer', 'service/recovery', 'service/interfaces', 'service/offered', 'service/script'],
      ...['service/addresses', 'service/ssh-addresses'],
    ],
    full,
  );
/** `npm run test:full -- storm`; RINGLAB_STORM_SECONDS, RINGLAB_STORM_SEED, RINGLAB_STORM_FAULTS. One storm after the other. */
const storm = async (node) =>
  sum([
    await suite('unit', node, ['service/storm.full'], full),
    await suite('unit', node, ['service/storm-fewer'], full),
    await suite('unit', node, ['service/storm-scripts'], full),
  ]);
const ownScripts = (node) => suite('unit', node, ['service/own-scripts'], full);
/** With the database for its accounting, which no other test needs. */
async function slurm(node) {
  await packagesAtHand(createProgress(), accountingPackages);
  return sum([
    await suite('unit', node, ['run/launch/slurm', 'hosts/cli/slurm'], full),
    await suite('e2e', node, ['full/slurm'], full),
  ]);
}
/** On Kubernetes' own control plane, which keeps its objects in etcd: one at a time, since four are too slow for their own time limits. */
async function kubernetes(node) {
  await packagesAtHand(createProgress(), controlPlanePackages);
  return sum([
    await suite(
      'unit',
      node,
      ['run/launch/kubernetes', 'hosts/cli/kubernetes', '--no-file-parallelism'],
      full,
    ),
    await suite('e2e', node, ['full/kubernetes'], full),
  ]);
}
const encryptedNetworks = (node) => suite('unit', node, ['encrypted-network'], full);

/** The quick attacks, those that take minutes, and every case of the trainer's. */
const attacks = async (node) =>
  sum([
    await suite('unit', node, ['src/main/attacks']),
    await suite('unit', node, ['src/main/attacks'], full),
    await everyCase('ctest-attacks.xml', ['-L', 'attack']),
  ]);
const commandLine = (node) => suite('unit', node, ['hosts/cli/commands.full', 'hosts/cli/beside'], full);
const waysInParallel = (node) => suite('e2e', node, ['full/parallel'], full);
const views = (node) => suite('e2e', node, ['full/views', 'full/tour'], full);
const lostNode = (node) => suite('e2e', node, ['full/lost-node'], full);
const flows = (node) => suite('e2e', node, ['full/flows'], full);
const slowLinks = (node) => suite('e2e', node, ['full/slow-links'], full);

/** Races fail rarely: the specs that train run three times. */
const soak = (node) => suite('e2e', node, ['e2e/runs', '--repeat-each=3']);

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} about
 * @property {readonly string[]} inputs what its result depends on
 * @property {(node: string) => Promise<import('./counts.mjs').Counts>} run
 *
 * @type {readonly Part[]}
 */
export const parts = [
  ...suites.map(({ name, about, run }) => ({
    name,
    about,
    inputs: name === 'native' ? ['native'] : everything,
    run: (node) => run(node, []),
  })),
  {
    name: 'slow',
    about:
      'the tests of these suites that take twenty seconds and more each (`npm test -- --slow`, as in CI)',
    inputs: everything,
    run: slow,
  },
  {
    name: 'storm',
    about:
      'four nodes on drawn links, seeded random faults every 5 to 30 s for ten minutes, power cuts and read-only disks among them: the run restarts by itself and loses nothing, or the others go on and lost ranks rejoin; an own script, too (root)',
    inputs: withoutWindow,
    run: storm,
  },
  { name: 'sanitizers', about: 'CTest on a build with sanitizers', inputs: ['native'], run: sanitizers },
  {
    name: 'fuzz',
    about:
      '10,000 mutated inputs a format against its reader, the trainer’s with sanitizers (500 each in `npm test`)',
    inputs: withoutWindow,
    run: fuzz,
  },
  {
    name: 'attacks',
    about: 'all attacks that SECURITY.md names: hostile nodes, files, pages and users of this computer',
    inputs: everything,
    run: attacks,
  },
  {
    name: 'command-line',
    about: 'ringlab run --queue, resume, stop --force and export as processes, beside apps that are killed',
    inputs: withoutWindow,
    run: commandLine,
  },
  {
    name: 'architectures',
    about:
      'every architecture against torchvision’s, weights both ways, and heads for other classes (some of each in CTest)',
    inputs: ['native'],
    run: architectures,
  },
  {
    name: 'equality',
    about:
      'against Python’s DistributedDataParallel at 1 to 8 ranks, in every setting; resumed runs of every --sync',
    inputs: ['native'],
    run: equality,
  },
  {
    name: 'trainer',
    about:
      'every case of the trainer’s other end-to-end tests: signals, saves, precision, hostile files (some of each in CTest)',
    inputs: ['native'],
    run: trainer,
  },
  {
    name: 'torchrun',
    about:
      'every rendezvous of torchrun, two nodes and two restarts: Debian’s, and PyPI’s newest (5 GB below .cache/; RINGLAB_TORCHRUN: another)',
    inputs: ['native'],
    run: torchrun,
  },
  {
    name: 'libtorch-2.6',
    about:
      'builds and tests on Debian trixie’s libtorch 2.6, exchanges checkpoints with it (root; 2.5 GB below .cache/)',
    inputs: ['native'],
    run: libtorch26,
  },
  {
    name: 'libtorch-cuda',
    about:
      'builds on Debian trixie’s libtorch 2.6 with CUDA and NCCL, as far as its packages install (root; 7 GB below .cache/)',
    inputs: ['native'],
    run: libtorchCuda,
  },
  {
    name: 'arm64',
    about:
      'builds for arm64 with Debian’s cross compiler, its C++ tests under QEMU, a run of both processors’ trainers together (root; 3 GB below .cache/)',
    inputs: ['native'],
    run: arm64,
  },
  {
    name: 'bare-debian',
    about:
      'a clean clone of what is committed sets itself up, runs and tests on a Debian 12 with Node alone (root)',
    inputs: everything,
    run: bareDebian,
  },
  {
    name: 'bare-debian-13',
    about: 'the same on a Debian 13, whose libtorch is another (root)',
    inputs: everything,
    run: bareDebian13,
  },
  {
    name: 'packages',
    about:
      'the packages of the web host, built twice and compared; npm’s in a fresh folder, Debian’s and the archive on a bare Debian 12: installed, started, updated, removed (root)',
    inputs: everything,
    run: packages,
  },
  {
    name: 'bare-node',
    about:
      'a Debian 12 with an SSH server alone is prepared over SSH and trains, with the time of each step (root)',
    inputs: withoutWindow,
    run: bareNode,
  },
  {
    name: 'bare-trixie',
    about: 'the same on a Debian 13, whose libtorch is another: the node builds its own trainer (root)',
    inputs: withoutWindow,
    run: bareTrixie,
  },
  {
    name: 'bare-offline',
    about:
      'a Debian 12 that reaches nothing but its SSH connection is prepared from a bundle and trains (root)',
    inputs: withoutWindow,
    run: bareOffline,
  },
  {
    name: 'wheels',
    about:
      'a bare Debian 12 gets PyTorch’s wheels from the real index, builds the trainer against them and trains; its Python opens the checkpoint; and one without internet gets them from a bundle (root; 20 GB below .cache/ meanwhile; RINGLAB_WHEELS_TORCH: another version)',
    inputs: withoutWindow,
    run: wheels,
  },
  {
    name: 'services',
    about:
      'the app’s services on the real trainer: killed and resumed runs, ranks on machines of their own whose addresses change, every architecture’s limits (root)',
    inputs: withoutWindow,
    run: services,
  },
  {
    name: 'own-scripts',
    about:
      'training scripts as users bring them, on two local nodes: what they print becomes curves; hangs, floods, memory (RINGLAB_MAIN_PY: PyTorch’s main.py)',
    inputs: withoutWindow,
    run: ownScripts,
  },
  {
    name: 'drawn-networks',
    about: 'the trainer over emulated links that are slow, pulled and put back (root)',
    inputs: withoutWindow,
    run: drawnNetworks,
  },
  {
    name: 'encrypted-networks',
    about: 'the trainer through WireGuard over emulated links, whose frames are read on the way (root)',
    inputs: withoutWindow,
    run: encryptedNetworks,
  },
  {
    name: 'slurm',
    about:
      'a real Slurm on this machine, from the window, from the command line and by services: the trainer and own scripts, time limits, lost nodes, preemption, accounting, Apptainer, a login node that is away for ten minutes (root; Go for Apptainer)',
    inputs: everything,
    run: slurm,
  },
  {
    name: 'kubernetes',
    about:
      'manifests by the API server’s own rules, and labs on its control plane: on stand-ins for machines by services, from the command line and from the window, as a JobSet, and in containers of a kubelet; built from Go modules (root, Go; half an hour the first time)',
    inputs: everything,
    run: kubernetes,
  },
  {
    name: 'views',
    about:
      'what opens on top of the lab and its runs, light and dark: the rules of accessibility; and what docs/tour.md describes',
    inputs: program,
    run: views,
  },
  {
    name: 'lost-node',
    about:
      'a node whose cable is cut in mid-run: notified on the desktop by its name, and continued when it is back',
    inputs: everything,
    run: lostNode,
  },
  {
    name: 'flows',
    about:
      'slow flows of the window: links edited and pulled in mid-run, a sweep over three ranks, a silent host, each view’s accessibility (root)',
    inputs: everything,
    run: flows,
  },
  {
    name: 'slow-links',
    about: 'N1–N2–N3 drawn with 10 Mbps learn to the end, from the window and from the command line (root)',
    inputs: everything,
    run: slowLinks,
  },
  {
    name: 'ways-in-parallel',
    about:
      'one process, DataParallel, DistributedDataParallel and four times the batch: queued, run, compared',
    inputs: everything,
    run: waysInParallel,
  },
  { name: 'soak', about: 'the specs that train, three times over', inputs: everything, run: soak },
];
