/**
 * Tests `runtime: conda` with a small channel on the loopback. micromamba is a fake (testing/stand-in-micromamba.ts):
 * it really downloads, verifies and unpacks, with a very simple solver.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { CondaRuntime } from '../../../shared/lab/runtime.ts';
import type { StepRecord } from '../../../shared/node/provision.ts';
import { startFileServer } from '../../transfer/testing/file-server.ts';
import { createLocalShell, programsOnly, type LocalShell } from '../../ssh/testing/local-shell.ts';
import { createBundleStep } from '../service/bundle-maker.ts';
import { createKeyring } from '../bundle/signed-release.ts';
import { createBundleStore } from '../bundle/store.ts';
import { systemClock } from '../../base/clock.ts';
import {
  createCondaRuntime,
  createLockBook,
  createUvKeeper,
  createWheelsRuntime,
  type CondaSource,
} from './index.ts';
import type { NodeWork } from '../engine/step.ts';
import { createFactsStep } from '../steps/facts.ts';
import { createLibrariesStep } from './libraries.ts';
import { runSteps, stepRun } from '../testing/step-run.ts';
import { canBeMachines, machine } from '../testing/shared-home.ts';
import { createBench, labOf } from '../testing/bench.ts';
import { freePort } from '../../ssh/testing/free-port.ts';
import { startChannel, type SmallChannel } from '../testing/small-channel.ts';
import { writeStandInMicromamba } from '../testing/stand-in-micromamba.ts';
import { writeStandInTrainer } from '../testing/stand-in-trainer.ts';
import { writeTinyTrainer } from '../testing/tiny-trainer.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

// Each start of the fake is a Node process, and the trainer is compiled once.
vi.setConfig({ testTimeout: 120_000 });

let folder = '';
let conda: CondaSource;
let channels: SmallChannel[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-conda-'));
  conda = createCondaRuntime({
    bundle: createBundleStore(join(folder, 'bundle'), { keyring: createKeyring([]), allows: () => true }),
    locks: createLockBook(join(folder, 'app', 'locks')),
    micromamba: join(folder, 'app', 'micromamba'),
    clock: systemClock,
  });
});
afterEach(async () => {
  await Promise.all(channels.map((one) => one.close()));
  channels = [];
  rmSync(folder, { recursive: true, force: true });
});

const channel = async (): Promise<SmallChannel> => {
  const made = await startChannel();
  channels.push(made);
  return made;
};
const labWith = (runtime: Partial<CondaRuntime>, kind: 'cpu' | 'gpu' = 'cpu'): LabDocument => {
  const lab = labOf(['anna'], { runtime: { type: 'conda', environment: 'resnet', ...runtime } });
  const access = {
    type: 'ssh',
    host: 'n',
    port: 22,
    user: 'u',
    authentication: { method: 'agent' },
  } as const;
  return kind === 'cpu' ? lab : { ...lab, nodes: lab.nodes.map((node) => ({ ...node, kind, access })) };
};

interface Tried {
  readonly step: StepRecord;
  readonly failed: unknown;
  readonly work: NodeWork;
  readonly shell: LocalShell;
}

/** Facts and libraries on one node; `own`: the user has installed micromamba there. */
async function prepare(
  lab: LabDocument,
  {
    node = 'n0',
    programs = {},
    own = true,
    last = createLibrariesStep(systemClock, conda, conda),
    through = [] as readonly string[],
  } = {},
): Promise<Tried> {
  const home = join(folder, 'nodes', node);
  mkdirSync(home, { recursive: true });
  if (own) writeStandInMicromamba(join(home, '.local', 'bin', 'micromamba'));
  const path = `${programsOnly(join(home, 'programs'), programs)}:${process.env.PATH ?? ''}`;
  const shell = createLocalShell({ home, path, through });
  const run = stepRun(lab, shell, { nodeId: node });
  const failed = await runSteps([createFactsStep(systemClock), last], run);
  return { step: run.status.step('libraries').snapshot(), failed, work: run.work, shell };
}
const environments = (node = 'n0'): string[] => {
  const place = join(folder, 'nodes', node, '.ringlab', 'environments');
  return existsSync(place) ? readdirSync(place).sort() : [];
};

const gpu = {
  'nvidia-smi': `#!/bin/sh
case "$*" in
  *query-gpu*) echo '0, NVIDIA GeForce RTX 3080, 10240, 00000000:01:00.0, 535.183.01';;
  *query-compute*) ;;
  *) echo '| NVIDIA-SMI 535.183.01  Driver Version: 535.183.01  CUDA Version: 12.2 |';;
esac
`,
};

describe('an environment from a channel', () => {
  it('is solved once, locked with the lab, installed on every node, and unchanged if complete', async () => {
    const source = await channel();
    const lab = labWith({ channels: [source.url] });
    const both = await Promise.all([prepare(lab), prepare(lab, { node: 'n1' })]);
    const { locks } = JSON.parse(readFileSync(join(folder, 'app', 'locks', `${lab.id}.json`), 'utf8')) as {
      locks: Record<string, { packages: { name: string; sha256: string; tools: boolean }[] }>;
    };
    const { packages } = locks['linux-64 cpu']!;
    const names = packages.filter(({ tools }) => !tools).map(({ name }) => name);
    expect(names.sort()).toEqual(['libjpeg-turbo', 'libtiff', 'libtorch', 'libwebp-base', 'libzlib', 'zlib']);
    expect(packages.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256))).toBe(true);
    for (const { step, work, shell } of both) {
      expect(step.summary.en).toMatch(/^libtorch 2\.4\.1 \(.*environments\/resnet-[0-9a-f]{12}\)$/);
      const prefix = work.libtorch!.prefix!;
      expect(readFileSync(join(prefix, '.mambarc'), 'utf8')).toBe(`channels:\n  - ${source.url}\n`);
      expect(readdirSync(await shell.home()).sort()).toEqual(['.local', '.ringlab', 'programs']);
    }
    const solved = both.flatMap(({ shell }) => shell.scripts.filter((one) => one.includes('--dry-run')));
    expect(solved).toHaveLength(2);
    const fetched = source.packagesFetched().length;
    expect((await prepare(lab)).step).toMatchObject({ state: 'done', alreadyThere: true });
    expect(source.packagesFetched()).toHaveLength(fetched);
  });

  it.skipIf(!canBeMachines)(
    'is made once in a home that two machines share, and the lists of none are left',
    async () => {
      const source = await channel();
      const lab = labWith({ channels: [source.url] });
      const both = await Promise.all(
        ['anna', 'berta'].map((name) => prepare(lab, { through: machine(name) })),
      );
      expect(both.map(({ failed }) => failed)).toEqual([undefined, undefined]);
      const fetched = source.packagesFetched();
      expect(new Set(fetched).size).toBe(fetched.length);
      expect(environments()).toEqual([basename(both[0]?.work.libtorch?.prefix ?? '')]);
    },
  );

  it('fault 38: on a GPU node is the build for the driver’s CUDA', async () => {
    const source = await channel();
    const { step, work, shell } = await prepare(labWith({ channels: [source.url] }, 'gpu'), {
      programs: gpu,
    });
    expect(step.summary.en).toContain('libtorch 2.4.1 · CUDA 12.0');
    expect(readFileSync(join(work.libtorch!.prefix!, 'lib', 'libtorch.so'), 'utf8')).toContain('cuda120_h3');
    expect(shell.scripts.some((one) => one.includes('CONDA_OVERRIDE_CUDA=12.2 '))).toBe(true);
  });
});

describe('a bundle', () => {
  it('contains the locked packages: a node without internet and micromamba contacts no mirror', async () => {
    const source = await channel();
    const lab = labWith({ channels: [source.url] });
    writeStandInMicromamba(join(folder, 'app', 'micromamba', 'linux-64', 'micromamba'));
    const store = createBundleStore(join(folder, 'bundle'), {
      keyring: createKeyring([]),
      allows: () => true,
    });
    const bundling = createBundleStep({
      store,
      conda,
      wheels: createWheelsRuntime({
        uv: createUvKeeper(join(folder, 'uv')),
        home: folder,
        shared: join(folder, 'wheels'),
      }),
      shelf: { find: () => Promise.resolve(undefined), plain: () => Promise.resolve(undefined) },
      sources: () => Promise.resolve({ hash: 'h' }),
      clock: systemClock,
    });
    const made = await prepare(lab, { last: bundling });
    expect(made.step.summary.en).toContain(' · conda · ');
    const { conda: packages, micromamba } = await store.read();
    expect(Object.keys(packages).length).toBeGreaterThanOrEqual(5);
    expect(Object.keys(micromamba)).toEqual(['linux-64']);

    const asked = source.packagesFetched().length;
    source.spoil = () => undefined;
    rmSync(join(folder, 'app', 'micromamba'), { recursive: true });
    writeStandInMicromamba(join(folder, 'app', 'micromamba', 'linux-64', 'micromamba'));
    rmSync(join(folder, 'app', 'micromamba', 'linux-64', 'micromamba'));
    const { step, work, shell } = await prepare(lab, { node: 'offline', own: false });
    expect(step).toMatchObject({ state: 'done', alreadyThere: false });
    expect(existsSync(join(work.libtorch!.prefix!, 'conda-meta'))).toBe(true);
    expect(source.packagesFetched()).toHaveLength(asked);
    expect(
      shell.uploads.filter(({ path }) => path.includes('/packages/conda/')).length,
    ).toBeGreaterThanOrEqual(5);
    expect(linesIn(step.log, 'en')).toMatch(/from the bundle: 6 packages, [1-9]\d* bytes sent/);
  });
});

describe('fault 37: mirrors', () => {
  it('that fail or send something else are reported, and the next one is used', async () => {
    const [wrong, gone, good] = [await channel(), await channel(), await channel()];
    wrong.spoil = (path, bytes) =>
      path.endsWith('.tar.bz2') ? Buffer.concat([bytes, Buffer.from('x')]) : bytes;
    gone.spoil = () => undefined;
    // A slow first byte, so that it is not tried first.
    good.waitMs = 300;
    const lab = labWith({ channels: [gone.url, good.url, wrong.url] });
    const { step } = await prepare(lab);
    expect(step.state).toBe('done');
    const log = linesIn(step.log, 'en');
    expect(log).toContain(`${gone.url}: answers 404`);
    expect(log).toMatch(new RegExp(`from ${wrong.url}[^]*sum doesn't match[^]*from ${good.url}`));
  });

  it('that all fail leave the previous environment unchanged, and the remedy is reported', async () => {
    const source = await channel();
    await prepare(labWith({ channels: [source.url] }));
    const before = environments();
    source.spoil = (path, bytes) => (path.endsWith('.tar.bz2') ? bytes.subarray(0, 40) : bytes);
    rmSync(join(folder, 'nodes', 'n0', '.ringlab', 'micromamba'), { recursive: true });
    const other = labWith({ channels: [source.url], environment: 'other' });
    const { failed, step } = await prepare(other);
    expect(failed).toMatchObject({ code: 'mirrors_failed', params: { mirrors: source.url }, where: 'anna' });
    expect(step.diagnoses?.map(({ code }) => code)).toContain('conda.checksum');
    expect(environments()).toEqual(before);
    source.spoil = (_, bytes) => bytes;
    await prepare(other);
    expect(environments()).toHaveLength(2);
  });

  it('are not asked again for files that arrived before an interruption', async () => {
    const source = await channel();
    const lab = labWith({ channels: [source.url] });
    source.spoil = (path, bytes) => (path.includes('/zlib-1') ? undefined : bytes);
    expect((await prepare(lab)).failed).toMatchObject({ code: 'mirrors_failed' });
    source.spoil = (_, bytes) => bytes;
    expect((await prepare(lab)).failed).toBeUndefined();
    const again = source.packagesFetched().filter((name) => name.startsWith('libtorch'));
    expect(again).toHaveLength(1);
  });
});

describe('checks before any download', () => {
  it('an old glibc: reports the needed and present version, and the newest libtorch that runs', async () => {
    const source = await channel();
    const lab = labWith({ channels: [source.url] });
    await prepare(lab);
    const before = source.packagesFetched().length;
    // Like Ubuntu 18.04; its lock was solved elsewhere.
    const { failed } = await prepare(lab, {
      node: 'old',
      programs: { getconf: '#!/bin/sh\necho "glibc 2.27"\n' },
    });
    expect(failed).toMatchObject({
      code: 'runtime_glibc_old',
      params: { needed: '2.28', found: '2.27', newest: 'libtorch 2.1.0 (cpu_h2)' },
    });
    expect(source.packagesFetched()).toHaveLength(before);
  });

  it('a channel without libtorch: reports the request and the solver’s message', async () => {
    const source = await startChannel([{ name: 'zlib', version: '1', build: 'h0' }]);
    channels.push(source);
    const { failed, step } = await prepare(labWith({ channels: [source.url] }));
    expect(failed).toMatchObject({ code: 'runtime_unsolved' });
    expect(step.error?.detail).toContain('could not be installed');
  });
});

describe('micromamba', () => {
  it('is reported as missing, with three ways to provide it', async () => {
    const { failed } = await prepare(labWith({ channels: [(await channel()).url] }), { own: false });
    expect(failed).toMatchObject({
      code: 'micromamba_missing',
      params: { platform: 'linux-64', kept: join(folder, 'app', 'micromamba', 'linux-64', 'micromamba') },
    });
  });

  it('is sent from the app’s cached copy', async () => {
    writeStandInMicromamba(join(folder, 'app', 'micromamba', 'linux-64', 'micromamba'));
    // The fake's second file; the real program is one file.
    mkdirSync(join(folder, 'nodes', 'n0'), { recursive: true });
    const { shell, failed } = await prepare(labWith({ channels: [(await channel()).url] }), { own: false });
    expect(failed).toBeUndefined();
    expect(shell.uploads.map(({ path }) => path)).toContain(`${await shell.home()}/.ringlab/bin/micromamba`);
  });

  it('is downloaded with its hash; with another hash it is refused, and nothing is started', async () => {
    const program = readFileSync(writeStandInMicromamba(join(folder, 'web', 'micromamba')));
    const server = await startFileServer(join(folder, 'web'));
    const url = `${server.url}/micromamba`;
    try {
      const [source, sha256] = [await channel(), createHash('sha256').update(program).digest('hex')];
      const wrong = labWith({ channels: [source.url], micromamba: { url, sha256: '0'.repeat(64) } });
      const { failed, shell } = await prepare(wrong, { own: false });
      expect(failed).toMatchObject({ code: 'hash_mismatch', params: { path: url } });
      expect(existsSync(join(await shell.home(), '.ringlab', 'bin', 'micromamba'))).toBe(false);
      await prepare(labWith({ channels: [source.url], micromamba: { url, sha256 } }), { own: false });
      expect(environments()).toHaveLength(1);
    } finally {
      await server.close();
    }
  });
});

/** Links to this machine's programs, without some. */
function pathWithout(place: string, names: readonly string[]): string {
  programsOnly(place, {});
  const script = `for d in /usr/sbin /usr/bin /sbin /bin; do for f in $d/*; do n=\${f##*/}; case " ${names.join(' ')} " in *" $n "*) ;; *) [ -e ${place}/$n ] || printf '%s\\0' "$f";; esac; done; done | xargs -0 ln -sf -t ${place}`;
  execFileSync('sh', ['-c', script]);
  return place;
}

it('the trainer is built with the channel’s compiler and CMake if the node has none, against the environment', async () => {
  const source = await channel();
  const images = join(folder, 'images');
  for (const part of ['train', 'val']) mkdirSync(join(images, part, 'cat'), { recursive: true });
  const nativeSource = writeTinyTrainer(join(folder, 'native'), {
    others: writeStandInTrainer(join(folder, 'stand-in')),
  });
  const bench = createBench({
    paths: { nativeSource, trainerBinary: undefined, data: join(folder, 'app') },
    shell: (_, home) => {
      writeStandInMicromamba(join(home, '.local', 'bin', 'micromamba'));
      return {
        path: pathWithout(join(home, 'bin'), ['c++', 'g++', 'clang++', 'cc', 'gcc', 'cmake', 'ninja']),
      };
    },
  });
  try {
    const lab = labOf(['anna'], {
      port: await freePort(),
      data: { type: 'folder', path: images },
      runtime: { type: 'conda', environment: 'resnet', channels: [source.url] },
    });
    const ready = await bench.provisioner.prepare(lab);
    const { home } = ready.nodes[0]!.facts;
    const made = readdirSync(join(home, '.ringlab', 'environments')).sort();
    expect(made).toHaveLength(2);
    expect(made[1]).toBe(`${made[0]}-tools`);
    const prefix = join(home, '.ringlab', 'environments', made[0]!);
    expect(ready.nodes[0]!.environment).toEqual({ LD_LIBRARY_PATH: `${prefix}/lib` });
    const built = bench.shell('n0').scripts.find((one) => one.includes('cmake -S'));
    expect(built).toContain(`run -p ${prefix}-tools `);
    expect(built).toContain(`-DCMAKE_PREFIX_PATH=${prefix}`);
  } finally {
    bench.close();
  }
});
