/** Tests environments of wheels whose Python is gone, and homes that several kinds of systems share. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Script } from '../../../../shared/lab/script.ts';
import type { NodeFacts } from '../../../../shared/node/provision.ts';
import { createLocalShell, programsOnly } from '../../../ssh/testing/local-shell.ts';
import type { StepContext } from '../../engine/step.ts';
import { labOf } from '../../testing/bench.ts';
import { stepRun } from '../../testing/step-run.ts';
import { createWheelsRuntime } from './wheels.ts';
import { createScript } from './wheels-commands.ts';
import { wantedEnvironment } from './wheels-content.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringlab-wheels-python-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const system = (id: string, version: string, arch = 'x86_64'): StepContext => {
  const source = { type: 'folder', path: '' } as const;
  const script = { source, file: 'train.py', arguments: '', install: { type: 'none' } as const };
  const run = stepRun(labOf(['anna'], { runtime: { type: 'wheels' }, script }), createLocalShell({ home }));
  const facts = { home, arch, glibc: '2.36', system: { id, version, pretty: id } };
  // What the runtime reads of a context and of facts.
  return {
    ...run,
    shell: createLocalShell({ home }),
    work: { facts: facts as NodeFacts },
  } as unknown as StepContext;
};
const folderFor = (context: StepContext) =>
  wantedEnvironment(context, home, () => Promise.resolve(undefined));

describe('in a home that several systems share', () => {
  it('each kind of system has an environment of its own, as its Python is its own', async () => {
    const [jammy, noble, arm, again] = await Promise.all([
      folderFor(system('ubuntu', '22.04')),
      folderFor(system('ubuntu', '24.04')),
      folderFor(system('ubuntu', '22.04', 'aarch64')),
      folderFor(system('ubuntu', '22.04')),
    ]);
    expect(new Set([jammy.prefix, noble.prefix, arm.prefix]).size).toBe(3);
    expect(again.prefix).toBe(jammy.prefix);
    // A bundle’s wheels fit every system.
    expect(new Set([jammy.content, noble.content, arm.content]).size).toBe(1);
  });

  it('an update of the same release changes nothing', async () => {
    const [before, after] = [
      await folderFor(system('rocky', '9.4')),
      await folderFor(system('rocky', '9.5')),
    ];
    expect(after.prefix).toBe(before.prefix);
  });
});

it('Ringlab’s own NumPy suits the PyTorch that is chosen; one that the user names is theirs', async () => {
  const of = async (install: Script['install']): Promise<string | undefined> => {
    const context = system('ubuntu', '22.04');
    const source = { type: 'folder', path: '' } as const;
    const script = { source, file: 'train.py', arguments: '', install };
    const lab = labOf(['anna'], { runtime: { type: 'wheels', torch: '2.1.0' }, script });
    return (await folderFor({ ...context, lab })).files['packages.txt'];
  };
  expect(await of({ type: 'none' })).toBe('torch==2.1.0\nnumpy<2\n');
  expect(await of({ type: 'packages', packages: ['numpy==2.0.0'] })).toBe(
    'torch==2.1.0\nnumpy\nnumpy==2.0.0\n',
  );
});

describe('an environment whose Python is gone', () => {
  /** A Python that has torch, as far as it is asked. */
  const python = '#!/bin/sh\nexit 0\n';

  it('is not found', async () => {
    const context = system('debian', '12');
    const { prefix } = await folderFor(context);
    const torch = join(prefix, 'lib/python3.10/site-packages/torch');
    mkdirSync(join(torch, 'lib'), { recursive: true });
    for (const name of ['lib/libtorch.so', 'lib/libc10.so']) writeFileSync(join(torch, name), '');
    writeFileSync(join(torch, 'version.py'), "__version__ = '2.9.1+cpu'\n");
    writeFileSync(join(prefix, '.ringlab-packages'), 'torch==2.9.1\n');
    programsOnly(join(prefix, 'bin'), { python });
    const keeper = {
      place: () => '',
      get: () => Promise.reject(new Error()),
      take: () => Promise.reject(new Error()),
    };
    const runtime = createWheelsRuntime({ uv: keeper, home, shared: join(home, 'shared') });
    expect(await runtime.find(context)).toMatchObject({ version: '2.9.1' });
    rmSync(join(prefix, 'bin/python'));
    symlinkSync('/nowhere/python3.10', join(prefix, 'bin/python'));
    expect(await runtime.find(context)).toBeUndefined();
    // A link to another Python than its packages are for.
    rmSync(join(prefix, 'bin/python'));
    programsOnly(join(prefix, 'bin'), { python: '#!/bin/sh\nexit 1\n' });
    expect(await runtime.find(context)).toBeUndefined();
  });

  it('is made again, and one that is whole is kept', () => {
    const uv = join(
      programsOnly(join(home, 'programs'), {
        uv: `#!/bin/sh
case $1 in
  venv) for part; do :; done; mkdir -p "$part/bin" && cp "$HOME/programs/python" "$part/bin/python"; echo made >> "$HOME/made";;
esac
`,
        python,
      }),
      'uv',
    );
    const prefix = join(home, 'wheels/x');
    const script = createScript(
      {
        uv,
        prefix,
        python: '3.11',
        folder: home,
        files: { 'packages.txt': '' },
        cpuBuild: false,
        headers: false,
      },
      { cache: join(home, 'wheels/cache'), pythons: join(home, 'wheels/python') },
      { index: 'http://127.0.0.1:9/simple' },
    );
    const run = () =>
      spawnSync('/bin/sh', ['-c', script], { env: { HOME: home, PATH: process.env.PATH } }).status;
    const made = () => readFileSync(join(home, 'made'), 'utf8').split('\n').length - 1;
    expect([run(), made(), run(), made()]).toEqual([0, 1, 0, 1]);
    rmSync(join(prefix, 'bin/python'));
    symlinkSync('/nowhere/python3.10', join(prefix, 'bin/python'));
    expect([run(), made()]).toEqual([0, 2]);
    expect(existsSync(join(dirname(prefix), 'x/.ringlab-packages'))).toBe(true);
  });
});
