/**
 * Tests environments of wheels in a bundle, with the real uv: made where a small index on the loopback is reached, used
 * on nodes that reach nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { systemClock } from '../../../base/clock.ts';
import { createLocalShell } from '../../../ssh/testing/local-shell.ts';
import { plainWheel, standInTorch, type SmallIndex } from '../../../transfer/testing/small-index.ts';
import type { BundleStore } from '../../bundle/contract.ts';
import { createBundleStore } from '../../bundle/store.ts';
import { planStep } from '../../engine/engine.ts';
import { createFactsStep } from '../../steps/facts.ts';
import { runSteps, stepRun } from '../../testing/step-run.ts';
import { createWheelsBench, haveUv, plainScript, type WheelsBench } from '../../testing/wheels-bench.ts';
import { pythonArchive } from './python-builds.ts';
import { uvVersion } from './uv.ts';
import { linesIn } from '../../../../shared/base/phrase.ts';

vi.setConfig({ testTimeout: 120_000 });

const python = '/usr/bin/python3.11';
/** The links of a node without Python lead to it; what is installed as uv's own is a wrapper of it. */
const havePython = process.platform === 'linux' && process.arch === 'x64' && existsSync(python);
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
/** Without any network, where this account may do that; else the index is closed alone. */
const offline = isRoot ? ['unshare', '--net'] : ['env'];

let bench: WheelsBench;
let store: BundleStore;
beforeEach(() => {
  bench = createWheelsBench();
  store = createBundleStore(join(bench.folder, 'bundle'), { allows: () => true });
});
afterEach(() => bench.close());

const codeOf = (error: unknown): string | undefined =>
  error instanceof RinglabError ? error.code : undefined;

/** A remote node's lab whose script has these requirements. */
function labOf(index: SmallIndex, requirements: string, where: 'remote' | 'gpu' = 'remote'): LabDocument {
  const project = join(bench.folder, 'project');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'requirements.txt'), requirements);
  return bench.labWith(
    [index],
    { script: { ...plainScript, source: { type: 'folder', path: project } } },
    where,
  );
}
const installed = (at = ''): string => readFileSync(join(at, '../../.ringlab-packages'), 'utf8');
const wheelsSent = (uploads: readonly { readonly path: string; readonly sent: number }[]): string[] =>
  uploads
    .filter(({ path, sent }) => path.endsWith('.whl') && sent > 0)
    .map(({ path }) => path.split('/').at(-1) ?? '');

describe.skipIf(!haveUv)('a bundle with wheels', () => {
  it('prepares a node without internet: what requirements.txt names, and what that needs', async () => {
    const index = await bench.indexOf(
      standInTorch('2.9.1', { requires: ['deep'] }),
      plainWheel('deep', '3.0'),
      plainWheel('tidy', '1.0'),
      plainWheel('tidy', '1.1'),
    );
    const lab = labOf(index, 'torch\ntidy<1.1\n');
    const made = await bench.prepare(lab, { last: bench.bundling(store) });
    expect(made.failed).toBeUndefined();
    expect(made.summary).toMatch(/ · wheels · .*Python 3\.\d+/);
    const [part] = (await store.read()).wheels;
    expect(part?.wheels.map(({ file }) => file).sort()).toEqual([
      'deep-3.0-py3-none-any.whl',
      'tidy-1.0-py3-none-any.whl',
      'torch-2.9.1-py3-none-any.whl',
    ]);
    const asked = index.asked.length;
    await index.close();

    const first = await bench.prepare(lab, { node: 'n1', bundle: store, through: offline });
    expect(first.failed).toBeUndefined();
    expect(first.work.libtorch).toMatchObject({ version: '2.9.1' });
    expect(installed(first.work.python).split('\n')).toEqual(
      expect.arrayContaining(['deep==3.0', 'tidy==1.0', 'torch==2.9.1']),
    );
    expect(wheelsSent(first.uploads)).toHaveLength(3);
    expect(index.asked).toHaveLength(asked);
    // Existing files are neither sent nor made again.
    expect((await bench.prepare(lab, { node: 'n1', bundle: store, through: offline })).uploads).toEqual([]);
  });

  it('has what another experiment shares with it once, and says where it has not what is wanted', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'), plainWheel('tidy', '1.0'));
    for (const requirements of ['torch\n', 'torch\ntidy\n'])
      await bench.prepare(labOf(index, requirements), { last: bench.bundling(store) });
    expect((await store.read()).wheels).toHaveLength(2);
    await index.close();
    const on = { node: 'n1', bundle: store, through: offline };
    expect(wheelsSent((await bench.prepare(labOf(index, 'torch\n'), on)).uploads)).toHaveLength(1);
    expect(wheelsSent((await bench.prepare(labOf(index, 'torch\ntidy\n'), on)).uploads)).toEqual([
      'tidy-1.0-py3-none-any.whl',
    ]);
    const other = await bench.prepare(labOf(index, 'torch\nother\n'), on);
    expect(codeOf(other.failed)).toBe('mirrors_failed');
    expect(other.log).toContain('the bundle has 2 environments of wheels, for other requirements');
  });

  it('is for the CUDA version that is asked for, whatever the node has that is asked', async () => {
    const index = await bench.indexOf(
      standInTorch('2.10.1', { cuda: '12.8' }),
      standInTorch('2.11.0', { cuda: '13.0' }),
    );
    const lab = labOf(index, 'torch\n', 'gpu');
    const made = await bench.prepare(lab, { last: bench.bundling(store, '12.4') });
    expect(made.failed).toBeUndefined();
    expect(made.summary).toContain('CUDA 12.4');
    const [part] = (await store.read()).wheels;
    expect(part?.wheels.map(({ version }) => version)).toEqual(['2.10.1']);
    await index.close();
    const smi = `#!/bin/sh
case "$*" in
  *query-gpu*) echo '0, NVIDIA GeForce RTX 3080, 10240, 00000000:01:00.0, 535.183.01';;
  *query-compute*) ;;
  *) echo '| NVIDIA-SMI 535.183.01  Driver Version: 535.183.01  CUDA Version: 12.2 |';;
esac
`;
    const on = { node: 'n1', bundle: store, through: offline, programs: { 'nvidia-smi': smi } };
    const ready = await bench.prepare(lab, on);
    expect(ready.failed).toBeUndefined();
    expect(ready.work.libtorch).toMatchObject({ version: '2.10.1', cuda: '12.8' });
  });

  it('refuses what has no wheel: nodes without internet cannot build or clone it', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'), plainWheel('tidy', '1.0'));
    const address = `${index.index.replace('/simple', '/packages')}/tidy-1.0-py3-none-any.whl`;
    const { failed } = await bench.prepare(labOf(index, `torch\ntidy @ ${address}\n`), {
      last: bench.bundling(store),
    });
    expect(codeOf(failed)).toBe('bundle_no_wheel');
    expect(await store.read()).toMatchObject({ wheels: [] });
  });

  it('shows in a dry run what is sent and made from it, and changes nothing', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    const lab = labOf(index, 'torch\n');
    await bench.prepare(lab, { last: bench.bundling(store) });
    const home = join(bench.folder, 'nodes', 'n1');
    mkdirSync(home, { recursive: true });
    const run = { ...stepRun(lab, createLocalShell({ home, path: '/usr/bin:/bin' })), bundle: store };
    await runSteps([createFactsStep(systemClock)], run);
    const { changes } = await planStep(bench.libraries(), run);
    expect(changes.map(({ what }) => what.en).join('\n')).toMatch(
      /^Send those of the bundle’s 1 wheels that are missing there to /m,
    );
    const commands = linesIn(
      changes.map(({ command }) => command),
      'en',
    );
    expect(commands).toMatch(/uv" pip install .*--offline --no-index .*--require-hashes --find-links /);
    expect(commands).not.toContain(index.index);
    expect(existsSync(join(home, '.ringlab'))).toBe(false);
  });

  it('that was made elsewhere brings its wheels only where the user trusts who made it', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    await bench.prepare(labOf(index, 'torch\n'), { last: bench.bundling(store) });
    const own = createBundleStore(join(bench.folder, 'own'));
    expect(await own.join(store, { programs: false })).toMatchObject({ programsLeft: 1 });
    expect((await own.read()).wheels).toEqual([]);
    expect(await own.join(store, { programs: true })).toMatchObject({ programsLeft: 0 });
    expect((await own.read()).wheels).toHaveLength(1);
  });
});

describe.skipIf(!haveUv || !havePython)('a node without Python and internet', () => {
  const archive = pythonArchive('3.11', 'x86_64');

  /** An archive as uv's, of a program that starts this system's Python. Returns its bytes. */
  function wrapPython(): Buffer {
    const root = join(bench.folder, 'archive');
    const lib = join(root, 'python', 'lib', 'python3.11');
    mkdirSync(join(root, 'python', 'bin'), { recursive: true });
    mkdirSync(lib, { recursive: true });
    writeFileSync(join(root, 'python/bin/python3.11'), `#!/bin/sh\nexec ${python} "$@"\n`, { mode: 0o755 });
    writeFileSync(join(lib, 'os.py'), '');
    const data = '# system configuration generated and used by the sysconfig module\nbuild_time_vars = {}\n';
    writeFileSync(join(lib, '_sysconfigdata__linux_x86_64-linux-gnu.py'), data);
    execFileSync('tar', ['czf', join(bench.folder, 'python.tar.gz'), '-C', root, 'python']);
    return readFileSync(join(bench.folder, 'python.tar.gz'));
  }
  /** uv's list of Pythons, with the archive's hash in place of the real one. */
  function listOf(bytes: Buffer): string {
    const file = join(bench.folder, 'pythons.json');
    const entry = {
      ...{ name: 'cpython', arch: { family: 'x86_64', variant: null }, os: 'linux', libc: 'gnu' },
      ...{ major: 3, minor: 11, patch: 18, prerelease: '', variant: null, build: '20261110' },
      url: `https://github.com/astral-sh/python-build-standalone/releases/download/${encodeURI(archive?.path ?? '').replaceAll('+', '%2B')}`,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
    writeFileSync(file, JSON.stringify({ 'cpython-3.11.18-linux-x86_64-gnu': entry }));
    return `UV_PYTHON_DOWNLOADS_JSON_URL=file://${file}`;
  }
  /** A bundle for Python 3.11, with these bytes as its archive. */
  async function bundled(bytes: Buffer | undefined): Promise<LabDocument> {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    const lab = labOf(index, 'torch\n');
    const made = await bench.prepare(lab, { last: bench.bundling(store) });
    expect(made.failed).toBeUndefined();
    await index.close();
    const { path = '', sha256 = '' } = archive ?? {};
    await store.change((now) => ({ ...now, pythons: bytes === undefined ? {} : { [path]: sha256 } }));
    mkdirSync(dirname(store.path(sha256)), { recursive: true });
    if (bytes !== undefined) writeFileSync(store.path(sha256), bytes);
    return lab;
  }
  const bare = { node: 'n1', withoutPython: true };

  it('gets the bundle’s', async () => {
    const bytes = wrapPython();
    const lab = await bundled(bytes);
    const through = [...offline, 'env', listOf(bytes)];
    const { failed, work, log } = await bench.prepare(lab, { ...bare, bundle: store, through });
    expect(failed).toBeUndefined();
    expect(log).toContain('(from the bundle)');
    expect(existsSync(work.python ?? '')).toBe(true);
    const pythons = join(bench.folder, 'nodes', 'n1', '.ringlab', 'wheels', 'python');
    expect(readdirSync(pythons)).toContain('cpython-3.11.18-linux-x86_64-gnu');
  });

  it('does not get an archive that is another: uv knows its hash', async () => {
    const lab = await bundled(wrapPython());
    const { failed } = await bench.prepare(lab, { ...bare, bundle: store, through: offline });
    expect(codeOf(failed)).toBe('wheels_no_python');
    expect(failed).toMatchObject({ params: { reason: expect.stringContaining('Hash mismatch') as string } });
  });

  it('gets an error where the bundle has none either', async () => {
    const lab = await bundled(undefined);
    const { failed } = await bench.prepare(lab, { ...bare, bundle: store, through: offline });
    expect(codeOf(failed)).toBe('wheels_no_python');
  });
});

it.skipIf(!haveUv)('the known archives are those that uv installs', () => {
  const uv = join(
    import.meta.dirname,
    '../../../../../.cache/uv',
    uvVersion,
    process.arch === 'arm64' ? 'aarch64' : 'x86_64',
    'uv',
  );
  const listed = execFileSync(
    uv,
    ['python', 'list', '--only-downloads', '--all-arches', '--all-versions', '--output-format', 'json'],
    { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2, env: { ...process.env, UV_NO_CONFIG: '1' } },
  );
  for (const arch of ['x86_64', 'aarch64'])
    for (let minor = 8; minor <= 15; minor += 1) {
      const path = pythonArchive(`3.${minor}`, arch)?.path ?? '';
      expect(listed).toContain(`/${path.replace('+', '%2B')}"`);
    }
});
