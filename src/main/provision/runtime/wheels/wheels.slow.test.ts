/**
 * Tests `runtime: wheels` with the real uv and a small index of wheels on the loopback. uv comes once from PyPI and is
 * kept in `.cache/uv`; where it is not there and PyPI is not reached, these tests are skipped. PyTorch is a stand-in
 * with the files that the step looks at; `npm run test:full -- wheels` installs the real one.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import type { Script } from '../../../../shared/lab/script.ts';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { systemClock } from '../../../base/clock.ts';
import { createLocalShell } from '../../../ssh/testing/local-shell.ts';
import { planStep } from '../../engine/engine.ts';
import { createFactsStep } from '../../steps/facts.ts';
import { plainWheel, standInTorch } from '../../../transfer/testing/small-index.ts';
import { runSteps, stepRun } from '../../testing/step-run.ts';
import { createWheelsBench, haveUv, plainScript, type WheelsBench } from '../../testing/wheels-bench.ts';
import { linesIn } from '../../../../shared/base/phrase.ts';

vi.setConfig({ testTimeout: 120_000 });

let bench: WheelsBench;
let folder = '';
beforeEach(() => {
  bench = createWheelsBench();
  ({ folder } = bench);
});
afterEach(() => bench.close());

const packagesNamed = (name: string): NonNullable<Script['install']> => ({
  type: 'packages',
  packages: [name],
});
const codeOf = (error: unknown): string | undefined =>
  error instanceof RinglabError ? error.code : undefined;
const texts = (error: unknown): string => (error instanceof RinglabError ? JSON.stringify(error.params) : '');

/** A GPU whose driver supports this CUDA. */
const gpu = (cuda: string): Record<string, string> => ({
  'nvidia-smi': `#!/bin/sh
case "$*" in
  *query-gpu*) echo '0, NVIDIA GeForce RTX 3080, 10240, 00000000:01:00.0, 535.183.01';;
  *query-compute*) ;;
  *) echo '| NVIDIA-SMI 535.183.01  Driver Version: 535.183.01  CUDA Version: ${cuda} |';;
esac
`,
});

describe.skipIf(!haveUv)('an environment of wheels', () => {
  it('is made once by the real uv, is what the experiment asks for, and is found again without a download', async () => {
    const index = await bench.indexOf(standInTorch('2.9.0'), standInTorch('2.9.1'));
    const lab = bench.labWith([index], {
      runtime: { type: 'wheels', torch: '2.9.0', indexes: [index.index] },
    });
    const first = await bench.prepare(lab);
    expect(first.failed).toBeUndefined();
    expect(first.work.libtorch).toMatchObject({ version: '2.9.0', abi: 'cxx11' });
    expect(first.work.libtorch?.prefix).toMatch(
      /\/\.ringlab\/wheels\/[0-9a-f]{16}\/lib\/python3\.\d+\/site-packages\/torch$/,
    );
    expect(existsSync(first.work.python ?? '')).toBe(true);
    const asked = index.asked.length;
    const second = await bench.prepare(lab);
    expect(second.work.python).toBe(first.work.python);
    expect(index.asked).toHaveLength(asked);
    expect(bench.wheelsIn()).toHaveLength(1);
  });

  it('has what a script’s requirements.txt names, and a changed file has an environment of its own', async () => {
    const index = await bench.indexOf(
      standInTorch('2.9.1'),
      plainWheel('tidy', '1.0'),
      plainWheel('tidy', '1.1'),
    );
    const project = join(folder, 'project');
    mkdirSync(project);
    const lab = bench.labWith([index], {
      script: { ...plainScript, source: { type: 'folder', path: '~/project' } },
    });
    writeFileSync(join(project, 'requirements.txt'), 'torch\ntidy==1.0\n');
    const first = await bench.prepare(lab);
    expect(first.failed).toBeUndefined();
    const packages = (python = ''): string => readFileSync(join(python, '../../.ringlab-packages'), 'utf8');
    expect(packages(first.work.python)).toContain('tidy==1.0');
    writeFileSync(join(project, 'requirements.txt'), 'torch\ntidy==1.1\n');
    const second = await bench.prepare(lab);
    expect(packages(second.work.python)).toContain('tidy==1.1');
    expect(packages(first.work.python)).toContain('tidy==1.0');
    expect(bench.wheelsIn()).toHaveLength(2);
  });

  it('comes from the next index where one lacks a package', async () => {
    const [poor, whole] = [
      await bench.indexOf(standInTorch('2.9.1')),
      await bench.indexOf(standInTorch('2.9.1'), plainWheel('tidy', '1.0')),
    ];
    const install = packagesNamed('tidy');
    const { failed } = await bench.prepare(
      bench.labWith([poor, whole], { script: { ...plainScript, install } }),
    );
    expect(failed).toBeUndefined();
  });

  it('takes the newest PyTorch that the driver runs', async () => {
    const index = await bench.indexOf(
      standInTorch('2.10.1', { cuda: '12.8' }),
      standInTorch('2.11.0', { cuda: '13.0' }),
    );
    const { failed, work } = await bench.prepare(bench.labWith([index], {}, 'gpu'), {
      programs: gpu('12.2'),
    });
    expect(failed).toBeUndefined();
    expect(work.libtorch).toMatchObject({ version: '2.10.1', cuda: '12.8' });
  });
});

describe.skipIf(!haveUv)('bad input', () => {
  it('a requirement that cannot be resolved: uv’s own reason, and nothing is left', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    const install = packagesNamed('no-such-package');
    const { failed } = await bench.prepare(bench.labWith([index], { script: { ...plainScript, install } }));
    expect(codeOf(failed)).toBe('wheels_unsolved');
    expect(texts(failed)).toMatch(/no-such-package was not found/);
    expect(bench.wheelsIn().filter((name) => /^[0-9a-f]+$/.test(name))).toEqual([]);
  });

  it('two requirements against each other: uv’s own reason', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'), plainWheel('old', '1.0', ['torch<2']));
    const install = packagesNamed('old');
    const { failed } = await bench.prepare(bench.labWith([index], { script: { ...plainScript, install } }));
    expect(codeOf(failed)).toBe('wheels_unsolved');
    expect(texts(failed)).toMatch(/old.*torch<2/);
  });

  it('an index that is none', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    const lab = bench.labWith([], { runtime: { type: 'wheels', indexes: [`${index.index}/elsewhere`] } });
    expect(codeOf((await bench.prepare(lab)).failed)).toBe('mirrors_failed');
  });

  it('a requirements file that is not there', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    const install = { type: 'requirements', file: 'needs.txt' } as const;
    const lab = bench.labWith([index], {
      script: { ...plainScript, source: { type: 'folder', path: folder }, install },
    });
    const { failed } = await bench.prepare(lab);
    expect(codeOf(failed)).toBe('file_unreadable');
    expect(texts(failed)).toContain('needs.txt');
  });

  it('a line that uv does not understand: uv’s own words, and not the network', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    writeFileSync(join(folder, 'needs.txt'), 'numpy=>1\n');
    const install = { type: 'requirements', file: 'needs.txt' } as const;
    const lab = bench.labWith([index], {
      script: { ...plainScript, source: { type: 'folder', path: folder }, install },
    });
    const { failed } = await bench.prepare(lab);
    expect(codeOf(failed)).toBe('wheels_failed');
    expect(texts(failed)).toContain('requirements.txt');
  });

  it('constraints that are named beside the requirements are kept to', async () => {
    const index = await bench.indexOf(standInTorch('2.9.0'), standInTorch('2.9.1'));
    writeFileSync(join(folder, 'needs.txt'), 'torch\n-c limits.txt\n');
    writeFileSync(join(folder, 'limits.txt'), 'torch<2.9.1\n');
    const install = { type: 'requirements', file: 'needs.txt' } as const;
    const lab = bench.labWith([index], {
      script: { ...plainScript, source: { type: 'folder', path: folder }, install },
    });
    const { failed, work } = await bench.prepare(lab);
    expect(failed).toBeUndefined();
    expect(work.libtorch?.version).toBe('2.9.0');
  });

  it('a PyTorch that does not import: Python’s own words, and nothing is left', async () => {
    const index = await bench.indexOf(
      standInTorch('2.9.1', { init: "raise ImportError('libcudart.so.12: cannot open')" }),
    );
    const { failed } = await bench.prepare(bench.labWith([index]));
    expect(codeOf(failed)).toBe('wheels_no_import');
    expect(texts(failed)).toContain('libcudart.so.12: cannot open');
  });

  it('killed half way: the next attempt succeeds', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    index.isStuck = true;
    const lab = bench.labWith([index]);
    const home = join(folder, 'nodes', 'n0');
    mkdirSync(home, { recursive: true });
    const cancel = new AbortController();
    const shell = createLocalShell({ home, path: '/usr/bin:/bin' });
    const run = { ...stepRun(lab, shell), signal: cancel.signal };
    const going = runSteps([createFactsStep(systemClock), bench.libraries()], run);
    await expect.poll(() => index.asked.length).toBeGreaterThan(0);
    expect(bench.wheelsIn().some((name) => name.endsWith('.part'))).toBe(true);
    cancel.abort();
    expect(await going).toBeDefined();
    index.isStuck = false;
    const again = await bench.prepare(lab);
    expect(again.failed).toBeUndefined();
    expect(bench.wheelsIn().filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('a PyTorch that the driver cannot run: which one it can', async () => {
    const index = await bench.indexOf(standInTorch('2.11.0', { cuda: '13.0' }));
    const change: Partial<LabDocument['experiment']> = {
      runtime: { type: 'wheels', torch: '2.11.0', indexes: [index.index] },
    };
    const { failed } = await bench.prepare(bench.labWith([index], change, 'gpu'), { programs: gpu('12.2') });
    expect(codeOf(failed)).toBe('wheels_driver_old');
    expect(texts(failed)).toContain('"newest":"2.10"');
    expect(index.asked).toEqual([]);
  });

  it('a system whose libc is too old or another', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    for (const [answer, words] of [
      ['glibc 2.17', 'glibc 2.17'],
      ['', 'musl'],
    ] as const) {
      const getconf = `#!/bin/sh\n[ "$1" = GNU_LIBC_VERSION ] && { echo '${answer}'; exit 0; }\nexec /usr/bin/getconf "$@"\n`;
      const ldd = `#!/bin/sh\necho '${answer === '' ? 'musl libc' : 'ldd 2.17'}'\n`;
      const { failed } = await bench.prepare(bench.labWith([index]), {
        node: `n${words.length}`,
        programs: { getconf, ldd },
      });
      expect(codeOf(failed)).toBe('wheels_system');
      expect(texts(failed)).toContain(words);
    }
  });
});

it.skipIf(!haveUv)(
  'a dry run names the environment, its files and uv’s commands, and changes nothing',
  async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    const home = join(folder, 'nodes', 'n0');
    mkdirSync(home, { recursive: true });
    const run = stepRun(bench.labWith([index]), createLocalShell({ home, path: '/usr/bin:/bin' }));
    await runSteps([createFactsStep(systemClock)], run);
    const plan = await planStep(bench.libraries(), run);
    const commands = linesIn(
      plan.changes.map(({ command }) => command),
      'en',
    );
    expect(commands).toMatch(/"\$uv" venv .*--relocatable/);
    expect(commands).toContain(`--default-index ${index.index} `);
    expect(existsSync(join(home, '.ringlab'))).toBe(false);
  },
);
