import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashText } from '../../transfer/index.ts';
import { programsOnly } from '../../ssh/testing/local-shell.ts';
import { readSources } from './sources.ts';
import {
  createBench,
  labOf,
  nativeSource,
  trainerBinary,
  type Bench,
  type BenchOptions,
} from '../testing/bench.ts';
import { writeStandInTrainer } from '../testing/stand-in-trainer.ts';
import { writeTinyTrainer } from '../testing/tiny-trainer.ts';
import { compareVersions } from '../node/versions.ts';
import { versionSaid } from './trainer-version.ts';
import { describeBinary } from './trainer-shelf.ts';
import { freePort } from '../../ssh/testing/free-port.ts';
import { linesIn, lineIn } from '../../../shared/base/phrase.ts';

let folder = '';
let benches: Bench[] = [];
const start = (options?: BenchOptions): Bench => {
  const bench = createBench(options);
  benches.push(bench);
  return bench;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-trainer-'));
});
afterEach(() => {
  for (const bench of benches) bench.close();
  benches = [];
  rmSync(folder, { recursive: true, force: true });
});

const tiny = (options: { version?: string; broken?: boolean } = {}): string =>
  writeTinyTrainer(join(folder, 'native'), {
    others: writeStandInTrainer(join(folder, 'stand-in')),
    ...options,
  });
/** No data set is created, since the tiny trainer cannot. */
const labWith = async (names: readonly string[]) =>
  labOf(names, { port: await freePort(), data: { type: 'folder', path: imageFolder() } });
function imageFolder(): string {
  for (const part of ['train', 'val']) mkdirSync(join(folder, 'images', part, 'cat'), { recursive: true });
  return join(folder, 'images');
}
const building = (source: string): BenchOptions => ({
  paths: { nativeSource: source, trainerBinary: undefined, data: join(folder, 'app') },
});
const scriptsWith = (bench: Bench, text: string): number =>
  [...bench.shells.values()].flatMap(({ scripts }) => scripts).filter((script) => script.includes(text))
    .length;
const trainerStep = (bench: Bench, lab: ReturnType<typeof labOf>, index = 0) =>
  bench.provisioner.status(lab)[index]!.steps.find(({ id }) => id === 'trainer')!;

test('the hash of the sources is the one compiled into the trainer', async () => {
  const header = join(folder, 'source_hash.h');
  const script = join(nativeSource, 'cmake', 'source_hash.cmake');
  execFileSync('cmake', [`-DDIR=${nativeSource}`, `-DOUT=${header}`, '-P', script]);
  const { hash, version } = await readSources(nativeSource);
  expect(readFileSync(header, 'utf8')).toContain(`"${hash}"`);
  const said = await describeBinary(trainerBinary);
  expect(said?.facts.version).toBe(version);
  expect(said?.facts.source_hash).toMatch(/^[0-9a-f]{64}$/);
});

test('without a matching trainer, it is built once for three equal nodes, cached, and sent without a second build', async () => {
  const source = tiny();
  const bench = start(building(source));
  const lab = await labWith(['a', 'b', 'c']);
  const ready = await bench.provisioner.prepare(lab);
  expect(scriptsWith(bench, 'cmake --build')).toBe(1);
  for (const { trainer } of ready.nodes) {
    expect(execFileSync(trainer, ['--version'], { encoding: 'utf8' })).toBe(
      'ringlab-train 0.1.0 libtorch 1.13.0\n',
    );
  }
  const builder = bench.provisioner
    .status(lab)
    .findIndex((_, index) =>
      trainerStep(bench, lab, index).log.some((line) => lineIn(line, 'en').includes('it is built here')),
    );
  expect(linesIn(trainerStep(bench, lab, builder).log, 'en')).toContain('cmake --build');
  // No build files are left on the node.
  expect(readdirSync(join(ready.nodes[builder]!.facts.home, '.ringlab', 'build'))).toEqual([]);

  const later = start(building(source));
  await later.provisioner.prepare(await labWith(['d']));
  expect(scriptsWith(later, 'cmake --build')).toBe(0);

  // Changed sources are another trainer.
  writeFileSync(join(source, 'src', 'more.h'), '// changed\n');
  const changed = start(building(source));
  const again = await changed.provisioner.prepare(await labWith(['e']));
  expect(scriptsWith(changed, 'cmake --build')).toBe(1);
  expect(dirname(again.nodes[0]!.trainer)).not.toBe(dirname(ready.nodes[0]!.trainer));
});

test('sources that do not compile fail once for all equal nodes, with the compiler’s output', async () => {
  const bench = start(building(tiny({ broken: true })));
  const lab = labOf(['a', 'b']);
  const failed = bench.provisioner.prepare(lab);
  await expect(failed).rejects.toMatchObject({ code: 'trainer_build_failed' });
  await failed.catch((error: unknown) => expect((error as { detail: string }).detail).toContain('error:'));
  expect(scriptsWith(bench, 'cmake --build')).toBe(1);
  expect(bench.provisioner.status(lab).map(({ state }) => state)).toEqual(['failed', 'failed']);
});

/** The programs of this machine without the given ones, and a fake `id` that is not root. */
function poorPath(without: RegExp): string {
  const bin = programsOnly(join(folder, 'bin'), {
    id: '#!/bin/sh\n[ "$1" = -u ] && echo 1000 || echo anna\n',
  });
  for (const place of ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']) {
    if (!existsSync(place)) continue;
    for (const name of readdirSync(place)) {
      if (!without.test(name) && !existsSync(join(bin, name))) {
        try {
          symlinkSync(join(place, name), join(bin, name));
        } catch {
          // The system itself has a dangling link there.
        }
      }
    }
  }
  return bin;
}
const noCompiler = /^(c\+\+|g\+\+|clang|cc$|gcc|cmake|sudo)/;

test('a node without compiler and root: the missing packages and the command are shown', async () => {
  const path = poorPath(noCompiler);
  const bench = start({ ...building(tiny()), shell: () => ({ path }) });
  const lab = labOf(['poor']);
  const failed = bench.provisioner.prepare(lab);
  await expect(failed).rejects.toMatchObject({ code: 'node_no_compiler', where: 'poor' });
  await failed.catch((error: unknown) => {
    expect((error as { params: { command: string } }).params.command).toMatch(
      /^apt-get update && apt-get install -y g\+\+ cmake /,
    );
  });
});

test('CMake and Ninja of the environment that has PyTorch are enough', async () => {
  const path = poorPath(/^(cmake|ninja|make$|sudo)/);
  const environment = join(folder, 'project', '.venv');
  const torch = join(environment, 'lib/python3.12/site-packages/torch');
  for (const [name, content] of Object.entries({
    'version.py': "__version__ = '2.11.0+cpu'\ncuda: Optional[str] = None\n",
    'lib/libtorch.so': '',
    'lib/libc10.so': '',
    'include/torch/csrc/api/include/torch/torch.h': '',
  })) {
    mkdirSync(dirname(join(torch, name)), { recursive: true });
    writeFileSync(join(torch, name), content);
  }
  mkdirSync(join(environment, 'bin'));
  for (const name of ['cmake', 'ninja']) symlinkSync(`/usr/bin/${name}`, join(environment, 'bin', name));
  const bench = start({ ...building(tiny()), shell: () => ({ path }) });
  const lab = await labWith(['poor']);
  const withTorch = {
    ...lab,
    experiment: { ...lab.experiment, runtime: { type: 'existing' as const, path: environment } },
  };
  await bench.provisioner.prepare(withTorch);
  expect(trainerStep(bench, withTorch).state).toBe('done');
});

test('fault 22: sudo that needs a password is reported and not waited for', async () => {
  const path = poorPath(noCompiler);
  programsOnly(path, { sudo: '#!/bin/sh\necho "sudo: a password is required" >&2\nexit 1\n' });
  const bench = start({ ...building(tiny()), shell: () => ({ path }) });
  await expect(bench.provisioner.prepare(labOf(['poor']))).rejects.toMatchObject({
    code: 'node_needs_root',
    where: 'poor',
  });
});

test('build tools are installed if sudo needs no password (apt is a stand-in)', async () => {
  const path = poorPath(noCompiler);
  const tools = Object.entries({ 'c++': 'c++', 'g++': 'g++', cmake: 'cmake' })
    .map(([name, program]) => `ln -sf "$(PATH=/usr/bin:/bin command -v ${program})" ${path}/${name}`)
    .join('\n');
  for (const name of ['apt-get', 'apt-cache']) rmSync(join(path, name), { force: true });
  programsOnly(path, {
    sudo: '#!/bin/sh\n[ "$1" = -n ] && shift\nexec "$@"\n',
    'apt-cache': '#!/bin/sh\nexit 0\n',
    'apt-get': `#!/bin/sh\ncase "$*" in *install*) echo "$DEBIAN_FRONTEND $*" > ${folder}/installed\n${tools}\n;; esac\n`,
  });
  const bench = start({ ...building(tiny()), shell: () => ({ path }) });
  const lab = await labWith(['poor']);
  await bench.provisioner.prepare(lab);
  expect(readFileSync(join(folder, 'installed'), 'utf8')).toMatch(
    /^noninteractive .*install .*g\+\+ cmake ninja-build libtorch-dev/,
  );
  expect(trainerStep(bench, lab).state).toBe('done');
});

test('fault 18: an incomplete upload is refused before anything is started, and removed', async () => {
  let spoil = true;
  const bench = start({
    shell: () => ({
      spoil: (path, bytes) => (spoil && path.endsWith('ringlab-train') ? bytes.subarray(0, 5000) : bytes),
    }),
  });
  const lab = await labWith(['torn']);
  await expect(bench.provisioner.prepare(lab)).rejects.toMatchObject({
    code: 'hash_mismatch',
    where: 'torn',
  });
  const trainers = join(bench.folder, 'nodes', 'n0', '.ringlab', 'trainers');
  expect(readdirSync(join(trainers, readdirSync(trainers)[0]!))).toEqual([]);
  spoil = false;
  await bench.provisioner.prepare(lab);
  // A damaged one is detected and replaced.
  const place = join(trainers, readdirSync(trainers)[0]!, 'ringlab-train');
  rmSync(place);
  writeFileSync(place, readFileSync(trainerBinary).subarray(0, 7000), { mode: 0o755 });
  await bench.provisioner.prepare(lab);
  expect(trainerStep(bench, lab)).toMatchObject({ state: 'done', alreadyThere: false });
});

test('fault 36: a newer trainer in our place is kept and reported; on request ours replaces it', async () => {
  const bench = start(building(tiny()));
  const lab = await labWith(['ahead']);
  const ready = await bench.provisioner.prepare(lab);
  const { trainer } = ready.nodes[0]!;
  const newer = '#!/bin/sh\necho "ringlab-train 7.2.0 libtorch 1.13.0"\n';
  writeFileSync(trainer, newer, { mode: 0o755 });
  writeFileSync(`${trainer}.sha256`, `${hashText(newer)}\n`);
  writeFileSync(`${trainer}.built-by`, 'here\n');
  // Another computer's Ringlab put it there: ours has none to compare it with.
  rmSync(join(folder, 'app'), { recursive: true });
  await expect(bench.provisioner.prepare(lab)).rejects.toMatchObject({
    code: 'trainer_newer',
    params: { version: '7.2.0' },
    where: 'ahead',
  });
  expect(readFileSync(trainer, 'utf8')).toBe(newer);
  await bench.provisioner.prepare(lab, { redo: ['trainer'] });
  expect(trainerStep(bench, lab).summary.en).toContain('ringlab-train 0.1.0');
});

test('a cached trainer that was damaged on this computer is not sent', async () => {
  const source = tiny();
  await start(building(source)).provisioner.prepare(await labWith(['a']));
  const kept = join(folder, 'app', 'trainers');
  writeFileSync(join(kept, readdirSync(kept)[0]!, 'here', 'ringlab-train'), 'rotten');
  const bench = start(building(source));
  await bench.provisioner.prepare(await labWith(['b']));
  expect(scriptsWith(bench, 'cmake --build')).toBe(1);
});

test('versions are compared as numbers and parsed from the one known line', () => {
  expect(compareVersions('0.10.0', '0.9.9')).toBeGreaterThan(0);
  expect(compareVersions('1.0', '1.0.0')).toBe(0);
  expect(compareVersions('0.1.0', '0.1.1')).toBeLessThan(0);
  expect(versionSaid('noise\nringlab-train 0.1.0-dev libtorch 2.1.0\n')).toBe('0.1.0');
  expect(versionSaid('bash: no such file')).toBeUndefined();
});

test('missing sources are reported by name', async () => {
  mkdirSync(join(folder, 'empty'));
  await expect(readSources(join(folder, 'empty'))).rejects.toMatchObject({ code: 'file_unreadable' });
  await expect(readSources(join(folder, 'absent'))).rejects.toMatchObject({ code: 'file_unreadable' });
});
