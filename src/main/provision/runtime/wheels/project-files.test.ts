/** Projects as people have them: what lies beside them, what is listed elsewhere, their Python, and their lock's PyTorch. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyLab } from '../../../../shared/lab/lab.ts';
import { ownCodeFolder, torchNamed, wantedPackages, type WantedPackages } from './wheels-wanted.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'project-'))));
afterEach(() => rm(folder, { recursive: true }));

async function wanted(files: Readonly<Record<string, string>>): Promise<WantedPackages> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const base = emptyLab('x', 'x');
  const source = { type: 'folder' as const, path: folder };
  const script = { source, file: 'a.py', arguments: '', install: { type: 'project' as const } };
  return wantedPackages({ ...base, experiment: { ...base.experiment, script } }, '/', ownCodeFolder);
}

const lockOf = (...packages: string[]): string =>
  [
    'version = 1\nrequires-python = ">=3.11"\n',
    ...packages.map((text) => `[[package]]\nversion = "1"\n${text}\n`),
  ].join('\n');
const registry = 'source = { registry = "https://packages.example/simple" }';
const root = (...needs: string[]): string =>
  `name = "own"\nsource = { virtual = "." }\ndependencies = [${needs.map((name) => `{ name = "${name}" }`).join(', ')}]`;

it('its files, and the Python that it is for', async () => {
  const text = '[project]\nname = "own"\nrequires-python = ">=3.12"\ndependencies = ["torch"]\n';
  expect(await wanted({ 'pyproject.toml': text })).toEqual({
    files: { 'pyproject.toml': text },
    packages: [],
    python: '>=3.12',
  });
  const lock = lockOf(root('numpy'), `name = "numpy"\n${registry}`);
  expect(await wanted({ 'pyproject.toml': '[project]\n', 'uv.lock': lock })).toEqual({
    files: { 'pyproject.toml': '[project]\n', 'uv.lock': lock },
    packages: [],
    python: '>=3.11',
  });
});

it.each(['^3.12', '>=3.12; rm -rf ~', '>=3.12 or less'])(
  'no Python that uv does not know: %s',
  async (python) => {
    const found = await wanted({ 'pyproject.toml': `[project]\nrequires-python = "${python}"\n` });
    expect(found.python).toBeUndefined();
  },
);

it('a file that is none is uv’s to refuse', async () => {
  expect((await wanted({ 'pyproject.toml': '[project' })).files).toEqual({ 'pyproject.toml': '[project' });
});

describe('dependencies that are listed elsewhere', () => {
  it.each(['"needs.txt"', '["needs.txt"]', '["needs.txt", "more.txt"]'])(
    'in the files that setuptools reads: %s',
    async (file) => {
      const found = await wanted({
        'pyproject.toml': `[project]\ndynamic = ["version", "dependencies"]\nrequires-python = ">=3.12"\n[tool.setuptools.dynamic]\ndependencies = { file = ${file} }\n`,
        'needs.txt': 'torch==2.3.1\nnumpy\n',
        'more.txt': 'scipy\n',
      });
      expect(Object.keys(found.files)).toEqual(['requirements.txt']);
      expect(found.files['requirements.txt']).toContain('torch==2.3.1\nnumpy\n');
      expect(found.files['requirements.txt']?.includes('scipy')).toBe(file.includes('more'));
      expect(found.python).toBe('>=3.12');
    },
  );
  it('elsewhere: refused, as uv would install none of them; a lock has them', async () => {
    const text = '[build-system]\nrequires = ["hatchling"]\n[project]\ndynamic = ["dependencies"]\n';
    await expect(wanted({ 'pyproject.toml': text })).rejects.toMatchObject({
      code: 'requirement_unlisted',
      params: { line: 'dynamic = ["dependencies"]' },
    });
    expect((await wanted({ 'pyproject.toml': text, 'uv.lock': lockOf(root()) })).packages).toEqual([]);
  });
  it('in no form that uv reads', async () => {
    const text = '[tool.poetry.dependencies]\nnumpy = "^2"\n';
    await expect(wanted({ 'pyproject.toml': text })).rejects.toMatchObject({ code: 'requirement_unlisted' });
    expect((await wanted({ 'pyproject.toml': `[build-system]\n${text}` })).packages).toEqual([]);
  });
});

describe('what lies beside the project', () => {
  it.each([
    ['directory = "lib"', 'lib = { path = "lib" }'],
    ['editable = "../lib"', 'lib = { path = "../lib" }'],
    ['path = "wheels/lib-1-py3-none-any.whl"', 'lib = { path = "wheels/lib-1-py3-none-any.whl" }'],
  ])('is refused where the lock’s installation needs it: %s', async (place, line) => {
    const inner = `name = "numpy"\n${registry}\ndependencies = [{ name = "lib" }]`;
    const lib = `name = "lib"\nsource = { ${place} }`;
    await expect(
      wanted({ 'pyproject.toml': '[project]\n', 'uv.lock': lockOf(root('numpy'), inner, lib) }),
    ).rejects.toMatchObject({ code: 'requirement_local', params: { file: 'uv.lock', line } });
    // Of a group that is not installed.
    const other = lockOf(root('torch'), `name = "torch"\n${registry}`, lib);
    expect((await wanted({ 'pyproject.toml': '[project]\n', 'uv.lock': other })).packages).toEqual([]);
  });
  it('is refused without a lock, too; an absolute path is the node’s own', async () => {
    const of = (source: string): Promise<WantedPackages> =>
      wanted({
        'pyproject.toml': `[project]\ndependencies = ["My_lib>=1"]\n[tool.uv.sources]\nmy-lib = ${source}\nother = { path = "other" }\n`,
      });
    await expect(of('{ path = "./lib", editable = true }')).rejects.toMatchObject({
      code: 'requirement_local',
      params: { file: 'pyproject.toml', line: 'my-lib = { path = "./lib" }' },
    });
    await expect(of('{ workspace = true }')).rejects.toMatchObject({ code: 'requirement_local' });
    expect((await of('{ path = "/opt/lib" }')).packages).toEqual([]);
    expect((await of('[{ index = "ours" }]')).packages).toEqual([]);
  });
});

describe('the PyTorch of a lock, which decides the Python and what the driver must run', () => {
  const named = (...packages: string[]): string | undefined =>
    torchNamed({
      files: { 'pyproject.toml': 'dependencies = [\n"torch==2.1.0",\n]', 'uv.lock': packages.join('\n') },
      packages: [],
    });
  const torch = (version: string, marker?: string): string =>
    `[[package]]\nname = "torch"\nversion = "${version}"\n${registry}\n${marker === undefined ? '' : `resolution-markers = ["${marker}"]\n`}`;
  it('goes before what pyproject.toml names', () => {
    expect(named(torch('2.9.1+cu126'))).toBe('2.9.1+cu126');
  });
  it('of several, the one for Linux', () => {
    const both = [
      torch('2.9.1', "sys_platform == 'darwin'"),
      torch('2.9.1+cu126', "sys_platform != 'darwin'"),
    ];
    expect(named(...both)).toBe('2.9.1+cu126');
  });
  it('that only uv can choose decides nothing', () => {
    const both = [
      torch('2.9.1', "platform_machine == 'x86_64'"),
      torch('2.9.0', "platform_machine != 'x86_64'"),
    ];
    expect(named(...both)).toBe('2.1.0');
    expect(named('[[package]]\nname = 3')).toBe('2.1.0');
  });
});
