/** Tests with the real uv that the indexes which an experiment's files name are those that packages come from. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import type { Script } from '../../../../shared/lab/script.ts';
import {
  plainWheel,
  standInTorch,
  startIndex,
  type SmallIndex,
} from '../../../transfer/testing/small-index.ts';
import { createBundleStore } from '../../bundle/store.ts';
import { createWheelsBench, haveUv, plainScript, type WheelsBench } from '../../testing/wheels-bench.ts';

vi.setConfig({ testTimeout: 120_000 });

let bench: WheelsBench;
let builds: SmallIndex;
beforeEach(async () => {
  bench = createWheelsBench();
  builds = await startIndex([standInTorch('2.9.1+cu126'), plainWheel('tidy', '1.0')], 'whl/cu126');
});
afterEach(() => Promise.all([builds.close(), bench.close()]));

const labWith = (
  indexes: readonly SmallIndex[],
  files: Readonly<Record<string, string>>,
  install?: Script['install'],
): LabDocument => {
  mkdirSync(join(bench.folder, 'project'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(bench.folder, 'project', name), text);
  const source = { type: 'folder', path: '~/project' } as const;
  return bench.labWith(indexes, {
    script: { ...plainScript, source, ...(install === undefined ? {} : { install }) },
  });
};
/** The packages of the environment that is made, with their versions. */
async function installed(lab: LabDocument): Promise<string[]> {
  const { failed, work } = await bench.prepare(lab);
  expect(failed).toBeUndefined();
  return readFileSync(join(work.python ?? '', '../../.ringlab-packages'), 'utf8')
    .trim()
    .split('\n');
}

describe.skipIf(!haveUv)('requirements.txt', () => {
  it('--index-url: nothing is asked of any other index', async () => {
    const own = await bench.indexOf(standInTorch('2.9.1'), plainWheel('tidy', '1.0'));
    const lab = labWith([], { 'requirements.txt': `--index-url ${own.index}\ntorch\ntidy\n` });
    expect(await installed(lab)).toEqual(['tidy==1.0', 'torch==2.9.1']);
  });

  it('the lab’s own index is used in its place', async () => {
    const own = await bench.indexOf(standInTorch('2.9.0'));
    const ofLab = await bench.indexOf(standInTorch('2.9.1'));
    const lab = labWith([ofLab], { 'requirements.txt': `--index-url ${own.index}\ntorch\n` });
    expect(await installed(lab)).toEqual(['torch==2.9.1']);
  });

  it('--extra-index-url of PyTorch: its build, and the newest of what others have', async () => {
    const main = await bench.indexOf(standInTorch('2.9.1'), plainWheel('tidy', '1.1'));
    const extra = `--extra-index-url ${builds.index}\n`;
    const exact = labWith([main], { 'requirements.txt': `${extra}torch==2.9.1+cu126\ntidy\n` });
    expect(await installed(exact)).toEqual(['tidy==1.1', 'torch==2.9.1+cu126']);
    const any = labWith([main], { 'requirements.txt': `${extra}torch\ntidy==1.1\n` });
    expect(await installed(any)).toEqual(['tidy==1.1', 'torch==2.9.1+cu126']);
  });

  it('--extra-index-url: a bundle includes the packages of that index', async () => {
    const main = await bench.indexOf(standInTorch('2.9.1'), plainWheel('tidy', '1.1'));
    const store = createBundleStore(join(bench.folder, 'bundle'), { allows: () => true });
    const text = `--extra-index-url ${builds.index}\ntorch==2.9.1+cu126\ntidy\n`;
    const { failed } = await bench.prepare(labWith([main], { 'requirements.txt': text }), {
      last: bench.bundling(store),
    });
    expect(failed).toBeUndefined();
    expect((await store.read()).wheels[0]?.wheels.map(({ file }) => file).sort()).toEqual([
      'tidy-1.1-py3-none-any.whl',
      'torch-2.9.1+cu126-py3-none-any.whl',
    ]);
  });

  it('a private index: another’s package of the same name is not taken, and uv says why a version is not', async () => {
    const main = await bench.indexOf(standInTorch('2.9.1'), plainWheel('ours', '9.9'));
    const ours = await startIndex([plainWheel('ours', '1.0')]);
    const extra = `--extra-index-url ${ours.index}\ntorch\n`;
    expect(await installed(labWith([main], { 'requirements.txt': `${extra}ours\n` }))).toContain('ours==1.0');
    const { failed } = await bench.prepare(labWith([main], { 'requirements.txt': `${extra}ours==9.9\n` }));
    expect(failed).toMatchObject({
      code: 'wheels_unsolved',
      params: { reason: expect.stringContaining('dependency confusion') as string },
    });
    await ours.close();
  });
});

describe.skipIf(!haveUv)('uv.lock', () => {
  it('PyTorch from its own index, the rest from another', async () => {
    const main = await bench.indexOf(plainWheel('tidy', '1.1'));
    const of = (name: string, version: string, { index }: SmallIndex): string => {
      const url = `${index.replace(/(:\d+)\/.*/, '$1')}/packages/${name}-${encodeURIComponent(version)}-py3-none-any.whl`;
      return `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = { registry = "${index}" }\nwheels = [{ url = "${url}" }]\n`;
    };
    const lock = [
      'version = 1\nrequires-python = ">=3.9"\n',
      '[[package]]\nname = "project"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "tidy" }, { name = "torch" }]\n',
      of('tidy', '1.1', main),
      of('torch', '2.9.1+cu126', builds),
    ].join('\n');
    const pyproject = `[project]\nname = "project"\nversion = "1"\nrequires-python = ">=3.9"\ndependencies = ["torch", "tidy"]\n`;
    const lab = labWith([], { 'pyproject.toml': pyproject, 'uv.lock': lock }, { type: 'project' });
    expect(await installed(lab)).toEqual(['tidy==1.1', 'torch==2.9.1+cu126']);
  });
});
