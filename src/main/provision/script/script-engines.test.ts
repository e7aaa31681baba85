/** Tests when an own script's engine is built, which nodes share it, and what a build that fails leaves. CMake is a stand-in. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linesIn, plain } from '../../../shared/base/phrase.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { systemClock } from '../../base/clock.ts';
import { createCodeShelf, type CodeShelf } from '../../code/index.ts';
import { createLocalShell, programsOnly } from '../../ssh/testing/local-shell.ts';
import type { NodeWork, Step } from '../engine/step.ts';
import { createFactsStep } from '../steps/facts.ts';
import { labOf } from '../testing/bench.ts';
import { runSteps, stepRun } from '../testing/step-run.ts';
import { createScriptCode, createScriptEngines } from './index.ts';
import { usesEngine, type ScriptEngines } from './script-engines.ts';

let folder = '';
let engines: ScriptEngines;
let shelf: CodeShelf;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-engines-'));
  shelf = createCodeShelf(join(folder, 'code'), folder);
  const header = join(folder, 'torch/include/torch/csrc/api/include/torch/torch.h');
  mkdirSync(dirname(header), { recursive: true });
  writeFileSync(header, '');
  const sources = { hash: 'h', version: '0.1.0', archive: () => Promise.resolve(new Uint8Array(1024)) };
  engines = createScriptEngines({ sources: () => Promise.resolve(sources), shared: join(folder, 'shared') });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const written = (): string[] => {
  const file = join(folder, 'built');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};
/** `cmake -S … -B out`, then `cmake --build out`. */
const cmake = (builds: boolean): string => `#!/bin/sh
case "$1" in
  --build) echo "$PWD $4" >>${folder}/built
    ${builds ? 'echo engine >out/libringlab_engine.so' : 'echo "binding.cpp:1: error: no member named x" >&2; exit 1'};;
  *) mkdir -p out; printf '%s\\n' "$*" >${folder}/configured;;
esac
`;
const slow = 'import ringlab\nmodel = ringlab.slow(model, optimizer)\n';

interface On {
  readonly text?: string;
  readonly torch?: string;
  readonly builds?: boolean;
  readonly isRemote?: boolean;
}

async function prepare(node: string, { text = slow, torch = '2.15.0', builds = true, isRemote }: On = {}) {
  const home = join(folder, node);
  mkdirSync(home, { recursive: true });
  const project = join(folder, 'project');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'train.py'), text);
  const script = { source: { type: 'folder', path: project }, file: 'train.py', arguments: '' } as const;
  const local = labOf(['anna'], { script });
  const access = {
    type: 'ssh',
    host: node,
    port: 22,
    user: 'u',
    authentication: { method: 'agent' },
  } as const;
  const lab: LabDocument =
    isRemote === true ? { ...local, nodes: local.nodes.map((one) => ({ ...one, access })) } : local;
  const programs = {
    cmake: cmake(builds),
    'c++': '#!/bin/sh\n',
    ninja: '#!/bin/sh\n',
    python: `#!/bin/sh\necho torch-folder ${folder}/torch\n`,
  };
  const path = `${programsOnly(join(home, 'programs'), programs)}:/usr/bin:/bin`;
  const shell = createLocalShell({ home, path, machine: { host: node } });
  const work: NodeWork = {
    python: join(home, 'programs', 'python'),
    pythonVersions: { python: '3.11.2', torch },
  };
  const said = 'ringlab-train 0.1.0 libtorch 1.13.1';
  const step: Step = {
    id: 'trainer',
    check: async (context) => ((await engines.check(context, said)) ? plain('ready') : undefined),
    apply: (context) => engines.apply(context, said),
    verify: (context) => engines.verify(context, said, plain('ready')),
  };
  const code = createScriptCode(shelf, lab, undefined);
  const run = { ...stepRun(lab, shell, { nodeId: node, work }), code };
  const failed = await runSteps([createFactsStep(systemClock), step], run);
  return { failed, engine: run.work.engine, log: linesIn(run.status.step('trainer').snapshot().log, 'en') };
}

describe('the engine of ringlab.slow', () => {
  it('is built against the script’s own PyTorch, once for all local nodes', async () => {
    const both = await Promise.all([prepare('n0'), prepare('n1')]);
    expect(both.map(({ failed }) => failed)).toEqual([undefined, undefined]);
    expect(written()).toHaveLength(1);
    expect(readFileSync(join(folder, 'configured'), 'utf8')).toContain(
      `-S src/python -B out -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${folder}/torch`,
    );
    const [first, second] = both;
    expect(second.engine).toEqual(first.engine);
    expect(first.engine).toEqual({ path: expect.stringContaining(join(folder, 'shared')) as string });
    await prepare('n2');
    expect(written()).toHaveLength(1);
    await prepare('n0', { torch: '2.16.0' });
    expect(written()).toHaveLength(2);
  });

  it('of a remote node is that node’s own', async () => {
    const one = await prepare('n0', { isRemote: true });
    const other = await prepare('n1', { isRemote: true });
    expect(written()).toHaveLength(2);
    expect(one.engine).toEqual({ path: expect.stringContaining(join(folder, 'n0')) as string });
    expect(other.engine).toEqual({ path: expect.stringContaining(join(folder, 'n1')) as string });
    expect(existsSync(join(folder, 'shared'))).toBe(false);
  });

  it('is not built for a script that does without, nor where the trainer’s own fits', async () => {
    expect((await prepare('n0', { text: 'import ringlab\nringlab.log({"a": 1})\n' })).engine).toBeUndefined();
    expect((await prepare('n0', { torch: '1.13.1' })).engine).toBeUndefined();
    expect(written()).toEqual([]);
  });

  it('is built for what the script imports, and not for another script beside it', async () => {
    const text = 'import nets\nprint(nets)\n';
    mkdirSync(join(folder, 'project', 'nets'), { recursive: true });
    writeFileSync(join(folder, 'project', 'nets', '__init__.py'), 'from .small import Net\n');
    writeFileSync(join(folder, 'project', 'nets', 'small.py'), 'Net = 1\n');
    writeFileSync(join(folder, 'project', 'other.py'), slow);
    expect((await prepare('n0', { text })).engine).toBeUndefined();
    writeFileSync(join(folder, 'project', 'nets', 'small.py'), slow);
    expect((await prepare('n1', { text })).engine).toBeDefined();
  });

  it('that cannot be built is said with the compiler’s words, and the script runs without', async () => {
    const first = await prepare('n0', { builds: false });
    expect(first.failed).toBeUndefined();
    expect(first.engine).toEqual({ problem: expect.stringContaining('no member named x') as string });
    expect(first.log).toContain('the script runs without it');
    // Not tried again by itself, on no node that would do the same.
    expect((await prepare('n1', { builds: false })).engine).toEqual(first.engine);
    expect(written()).toHaveLength(1);
    expect(readdirSync(folder)).not.toContain('shared');
  });
});

it.each([
  ['import ringlab\nx = ringlab.slow(m, o)', true],
  ['from ringlab import hook\nhook(ddp)', true],
  ['import ringlab.wandb as wandb\nwandb.log({})', false],
  ['model = slow(model)', false],
  ['# import ringlab some day', false],
])('%j: %s', (text, uses) => {
  expect(usesEngine(text)).toBe(uses);
});
