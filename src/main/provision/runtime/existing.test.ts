/** Tests `runtime: existing`: a libtorch or Python torch on the node, in its usual forms. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LabNode } from '../../../shared/lab/lab.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { createNodeShell } from '../node/node-shell.ts';
import { StepStatus } from '../node/readiness.ts';
import { bestTorch } from './existing.ts';
import { findTorch, type FoundTorch } from '../node/find-torch.ts';
import { checkSuits } from '../node/libtorch.ts';
import { labOf } from '../testing/bench.ts';
import { fingerprintOf, makeFor } from '../trainer/trainer-version.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringlab-existing-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(folder: string, files: Record<string, string>): string {
  const all = { 'lib/libtorch.so': '', 'lib/libc10.so': '', ...files };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(home, folder, path)), { recursive: true });
    writeFileSync(join(home, folder, path), content);
  }
  return join(home, folder);
}
const header = { 'include/torch/csrc/api/include/torch/torch.h': '' };
/** `torch/version.py` as the wheels of 1.13, 2.1 and 2.13 have it. */
const versionPy = (version: string, cuda: string): string => `from typing import Optional

__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']
__version__ = '${version}'
debug = False
cuda: Optional[str] = ${cuda}
git_version = 'cf30153c4c131c8164ee7798e5022d810682e2cb'
`;

const find = (path?: string): Promise<FoundTorch[]> => {
  const status = new StepStatus(
    'libraries',
    () => undefined,
    () => undefined,
  );
  return findTorch(createNodeShell(createLocalShell({ home }), status, new AbortController().signal), path);
};
const inHome = async (path?: string): Promise<FoundTorch[]> =>
  (await find(path)).filter(({ prefix }) => prefix.startsWith(home));

describe('an existing libtorch', () => {
  it('is read from its files: version, CUDA, ABI, headers', async () => {
    const wheel = put('venv/lib/python3.11/site-packages/torch', {
      'version.py': versionPy('2.1.0+cu121', "'12.1'"),
      'share/cmake/Torch/TorchConfig.cmake': 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")',
      ...header,
    });
    const archive = put('libtorch', { 'build-version': '1.13.1+cu117\n' });
    const conda = put('miniconda3/envs/resnet', {
      'conda-meta/libtorch-2.4.1-cuda126_h3a4b5c_305.json': '{}',
      ...header,
    });
    const cpu = put('.venvs/lib/python3.12/site-packages/torch', {
      'version.py': versionPy('2.13.0+cpu', 'None'),
    });
    const project = put('resnet/.venv/lib/python3.12/site-packages/torch', {
      'version.py': versionPy('2.11.0+cu130', "'13.0'"),
    });
    const found = new Map((await inHome()).map((one) => [one.prefix, one]));
    expect(found.get(project)).toMatchObject({ version: '2.11.0', cuda: '13.0' });
    expect(found.get(wheel)).toEqual({
      version: '2.1.0',
      cuda: '12.1',
      abi: 'pre-cxx11',
      headers: true,
      prefix: wheel,
    });
    expect(found.get(archive)).toEqual({
      version: '1.13.1',
      cuda: '11.7',
      abi: 'cxx11',
      headers: false,
      prefix: archive,
    });
    expect(found.get(conda)).toMatchObject({ version: '2.4.1', cuda: '12.6', headers: true });
    expect(found.get(cpu)).toEqual({ version: '2.13.0', abi: 'cxx11', headers: false, prefix: cpu });
  });

  it('is found at a given path: the environment, its bin, or the torch folder; with spaces and links', async () => {
    const torch = put('my env/lib/python3.10/site-packages/torch', {
      'version.py': versionPy('2.0.1', "'11.8'"),
    });
    mkdirSync(join(home, 'my env', 'bin'));
    symlinkSync(join(home, 'my env'), join(home, 'link'));
    for (const path of ['my env', 'my env/bin', 'my env/lib/python3.10/site-packages/torch', 'link'])
      expect(await inHome(join(home, path))).toMatchObject([
        { version: '2.0.1', cuda: '11.8', prefix: torch },
      ]);
    expect(await inHome(join(home, 'nowhere'))).toEqual([]);
  });

  it('is ignored if it is incomplete', async () => {
    mkdirSync(join(home, 'libtorch', 'lib'), { recursive: true });
    writeFileSync(join(home, 'libtorch', 'build-version'), '2.1.0');
    expect(await inHome()).toEqual([]);
  });
});

const one = (version: string, cuda?: string, headers = true): FoundTorch => ({
  version,
  ...(cuda === undefined ? {} : { cuda }),
  abi: 'cxx11',
  prefix: `/${version}-${cuda ?? 'cpu'}`,
  headers,
});

describe('the best of several', () => {
  const all = [one('2.4.1'), one('2.1.0', '12.1'), one('2.5.0', '13.0'), one('2.6.0', '12.4', false)];
  it('runs on the GPU with the present driver, and has headers to build with', () => {
    expect(bestTorch(all, true, '12.2')?.prefix).toBe('/2.1.0-12.1');
    expect(bestTorch(all, true, '13.0')?.prefix).toBe('/2.5.0-13.0');
    expect(bestTorch(all, false, undefined)?.prefix).toBe('/2.4.1-cpu');
    expect(bestTorch([], false, undefined)).toBeUndefined();
  });
});

describe('fault 38: a build that does not match the node', () => {
  const ssh = { type: 'ssh', host: 'n', port: 22, user: 'u', authentication: { method: 'agent' } } as const;
  const node: LabNode = { ...labOf(['anna']).nodes[0]!, kind: 'gpu', access: ssh };
  const facts = {
    gpus: [{ index: 0, name: 'NVIDIA GeForce RTX 3080' }],
    nvidia: { works: true },
    driver: '535.183.01',
    cuda: '12.2',
  } as Partial<NodeFacts> as NodeFacts; // only these fields are read
  const cpu = { version: '2.4.1', abi: 'cxx11' } as const;

  it('a CPU build on a GPU node is reported before the run, with the GPU’s name', () => {
    expect(() => checkSuits(cpu, node, facts, 'auto')).toThrow(
      expect.objectContaining({
        code: 'runtime_cpu_build',
        params: { libtorch: 'libtorch 2.4.1', gpu: 'NVIDIA GeForce RTX 3080' },
      }),
    );
  });

  it('is accepted if the CPU is chosen, the node is a CPU node or trains on this computer', () => {
    expect(() => checkSuits(cpu, node, facts, 'gloo')).not.toThrow();
    expect(() => checkSuits(cpu, { ...node, kind: 'cpu' }, facts, 'auto')).not.toThrow();
    expect(() => checkSuits(cpu, { ...node, access: { type: 'local' } }, facts, 'auto')).not.toThrow();
  });

  it('a CUDA version newer than the driver’s is reported with both versions', () => {
    expect(() => checkSuits({ ...cpu, cuda: '13.0' }, node, facts, 'auto')).toThrow(
      expect.objectContaining({ code: 'runtime_cuda_too_new' }),
    );
    expect(() => checkSuits({ ...cpu, cuda: '12.6' }, node, facts, 'auto')).not.toThrow();
  });

  it('CUDA, ABI and version each need a separate trainer; the folder does not', () => {
    const machine = { arch: 'x86_64', glibc: '2.36' } as Partial<NodeFacts> as NodeFacts; // what a make is read from
    const of = (libtorch: Parameters<typeof makeFor>[1]): string =>
      fingerprintOf(makeFor(machine, libtorch, 'h'));
    const kinds = [
      cpu,
      { ...cpu, cuda: '12.1' },
      { ...cpu, cuda: '12.4' },
      { ...cpu, abi: 'pre-cxx11' },
      { ...cpu, version: '2.1.0' },
    ] as const;
    expect(new Set(kinds.map(of)).size).toBe(kinds.length);
    expect(of({ ...cpu, prefix: '/a' })).toBe(of({ ...cpu, prefix: '/b' }));
  });
});
