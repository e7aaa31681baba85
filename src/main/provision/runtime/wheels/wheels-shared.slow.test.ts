/** Tests what environments of wheels share: runs, local nodes, and machines with one home. With the real uv (wheels.slow.test.ts). */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { standInTorch, type SmallIndex } from '../../../transfer/testing/small-index.ts';
import { createWheelsBench, haveUv, type WheelsBench } from '../../testing/wheels-bench.ts';
import { canBeMachines, machine } from '../../testing/shared-home.ts';
import { localWheels, removeUnusedWheels } from '../index.ts';

vi.setConfig({ testTimeout: 120_000 });

let bench: WheelsBench;
beforeEach(() => {
  bench = createWheelsBench();
});
afterEach(() => bench.close());

/** Which wheels have been asked for, each once however often: uv may ask again where a connection was closed. */
const wheelsOf = ({ asked }: SmallIndex): string[] =>
  [...new Set(asked.filter((path) => path.includes('.whl')))].toSorted();
const versionFile = (python = ''): string => {
  const lib = join(python, '../../lib');
  return join(lib, readdirSync(lib)[0] ?? '', 'site-packages/torch/version.py');
};

describe.skipIf(!haveUv)('an environment of wheels', () => {
  it('is shared by two runs that start at once', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    const lab = bench.labWith([index]);
    const both = await Promise.all([bench.prepare(lab), bench.prepare(lab)]);
    expect(both.map(({ failed }) => failed)).toEqual([undefined, undefined]);
    expect(both[0].work.python).toBe(both[1].work.python);
    expect(wheelsOf(index)).toEqual(['numpy-2.0.0-py3-none-any.whl', 'torch-2.9.1-py3-none-any.whl']);
    expect(bench.wheelsIn()).toHaveLength(1);
  });

  it('costs a second local node no download and hardly any disk, whichever is first', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    const lab = bench.labWith([index]);
    const both = await Promise.all([bench.prepare(lab), bench.prepare(lab, { node: 'n1' })]);
    expect(both.map(({ failed }) => failed)).toEqual([undefined, undefined]);
    const asked = index.asked.filter((path) => path.includes('.whl'));
    const later = await bench.prepare(lab, { node: 'n2' });
    expect(later.failed).toBeUndefined();
    expect(index.asked.filter((path) => path.includes('.whl'))).toEqual(asked);
    const files = [...both, later].map(({ work }) => versionFile(work.python));
    expect(new Set(files).size).toBe(3);
    // In uv's downloads, and a link to it in each environment.
    expect(new Set(files.map((file) => statSync(file).ino)).size).toBe(1);
    for (const node of ['n0', 'n1', 'n2'])
      expect(existsSync(join(bench.folder, 'nodes', node, '.ringlab', 'wheels', 'cache'))).toBe(false);
  });

  it('on a remote node has nothing of another node’s', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    const lab = bench.labWith([index], {}, 'remote');
    const first = await bench.prepare(lab);
    const once = index.asked.filter((path) => path.includes('.whl')).length;
    const second = await bench.prepare(lab, { node: 'n1' });
    expect([first.failed, second.failed]).toEqual([undefined, undefined]);
    expect(index.asked.filter((path) => path.includes('.whl')).length).toBeGreaterThan(once);
    expect(statSync(versionFile(first.work.python)).ino).not.toBe(
      statSync(versionFile(second.work.python)).ino,
    );
    expect(existsSync(join(bench.folder, 'data', 'wheels'))).toBe(false);
  });

  it.skipIf(!canBeMachines)('is made once in a home that two machines share', async () => {
    const index = await bench.indexOf(standInTorch('2.9.1'));
    const lab = bench.labWith([index], {}, 'remote');
    const both = await Promise.all(
      ['anna', 'berta'].map((name) => bench.prepare(lab, { through: machine(name) })),
    );
    expect(both.map(({ failed }) => failed)).toEqual([undefined, undefined]);
    expect(bench.wheelsIn()).toHaveLength(1);
    // Each has its own process; the one that waited found it made.
    expect(both.filter(({ log }) => /Installed \d+ packages/.test(log))).toHaveLength(1);
    expect(readFileSync(join(both[0]?.work.python ?? '', '../../.ringlab-packages'), 'utf8')).toContain(
      'torch==2.9.1',
    );
  });
});

describe('what local nodes share', () => {
  it('is removed with the last environment that may need it', async () => {
    const data = join(bench.folder, 'data');
    const environment = (lab: string, node: string): string =>
      join(data, 'nodes', lab, node, 'home', '.ringlab', 'wheels');
    mkdirSync(join(localWheels(data), 'cache'), { recursive: true });
    mkdirSync(join(environment('one', 'n0'), '0123'), { recursive: true });
    mkdirSync(environment('two', 'n0'), { recursive: true });
    await removeUnusedWheels(data);
    expect(existsSync(localWheels(data))).toBe(true);
    rmSync(join(environment('one', 'n0'), '0123'), { recursive: true });
    await removeUnusedWheels(data);
    expect(existsSync(localWheels(data))).toBe(false);
    await removeUnusedWheels(data);
  });
});
