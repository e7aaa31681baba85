/** Requirement files as people have them: included ones, constraints, what lies beside them, PowerShell's. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyLab } from '../../../../shared/lab/lab.ts';
import { ownCodeFolder, torchNamed, wantedPackages, type WantedPackages } from './wheels-wanted.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'requirements-'))));
afterEach(() => rm(folder, { recursive: true }));

const put = async (path: string, content: string | Buffer): Promise<void> => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
};
function wanted(file: string): Promise<WantedPackages> {
  const base = emptyLab('x', 'x');
  const source = { type: 'folder' as const, path: folder };
  const install = { type: 'requirements' as const, file };
  const script = { source, file: 'a.py', arguments: '', install };
  return wantedPackages({ ...base, experiment: { ...base.experiment, script } }, '/', ownCodeFolder);
}

it('a file without others is sent as it is', async () => {
  const text =
    '# needed\r\nnumpy==2.0.0 \\\r\n  --hash=sha256:0\r\n-r https://example.org/r.txt\r\n--extra-index-url https://example.org/simple\r\na @ git+https://example.org/a.git\r\n/opt/wheels/b.whl\r\n';
  await put('requirements.txt', text);
  expect((await wanted('requirements.txt')).files).toEqual({ 'requirements.txt': text });
});

it('absolute paths and variables are the node’s own', async () => {
  const text = [
    '-c /etc/pip/constraint.txt',
    '-r /opt/base.txt',
    '-r ${BASE}/base.txt',
    '-f ${BASE}/wheels',
    '-f /opt/wheels',
    'pkg @ ${BASE}/pkg-1.0-py3-none-any.whl',
    '${BASE}/more-1.0-py3-none-any.whl',
  ].join('\n');
  await put('requirements.txt', text);
  expect((await wanted('requirements.txt')).files).toEqual({ 'requirements.txt': text });
  await put('requirements.txt', 'numpy\n-c limits.txt\n');
  await put('limits.txt', 'numpy<2\n-c /etc/pip/constraint.txt\n');
  expect((await wanted('requirements.txt')).files['constraints.txt']).toBe(
    'numpy<2\n-c /etc/pip/constraint.txt\n',
  );
});

it('included files and constraints come along, each once, wherever the first one lies', async () => {
  await put('needs/all.txt', 'numpy\n-r base.txt # the rest\n--requirement=../more.txt\n-c limits.txt\n');
  await put('needs/base.txt', 'pillow\n-rall.txt\n--constraint ../limits.txt\n');
  await put('more.txt', 'scipy\n-r needs/base.txt\n');
  await put('needs/limits.txt', 'torch==2.3.1\n');
  await put('limits.txt', '-r needs/limits.txt\nscipy<2\n');
  const found = await wanted('needs/all.txt');
  const named = (name: string): string[] =>
    (found.files[name] ?? '').split('\n').filter((line) => line !== '');
  expect(named('requirements.txt')).toEqual(['numpy', 'pillow', 'scipy', '-c constraints.txt']);
  expect(named('constraints.txt')).toEqual(['torch==2.3.1', 'scipy<2']);
  expect(torchNamed(found)).toBe('2.3.1');
});

it('an index that several files name is named once to uv, which refuses a second one', async () => {
  const index = '--index-url https://packages.example/simple';
  await put('requirements.txt', `-c limits.txt\n${index}\nnumpy\n-r base.txt\n`);
  await put('base.txt', '-i https://packages.example/simple/ # the same\nscipy\n');
  await put('limits.txt', `${index}\nnumpy<2\n`);
  const { files } = await wanted('requirements.txt');
  expect(files['requirements.txt']).toBe(`${index}\nnumpy\nscipy\n\n\n-c constraints.txt\n`);
  expect(files['constraints.txt']).toBe(`${index}\nnumpy<2\n`);
});

it('a file outside of the script’s folder, and one that is not there, are named', async () => {
  for (const [text, path] of [
    ['-r ../other.txt', '../other.txt'],
    ['-c absent.txt', 'absent.txt'],
  ] as const) {
    await put('requirements.txt', text);
    await expect(wanted('requirements.txt')).rejects.toMatchObject({
      code: 'file_unreadable',
      params: { path: join(folder, path) },
    });
  }
});

it.each([
  ...[
    '-e .',
    '-e git+https://example.org/a.git',
    '--editable=./lib',
    './wheels/a.whl',
    '.',
    '.[dev]',
    '../lib',
  ],
  ...['wheels/a-1.0-py3-none-any.whl', 'a-1.0.whl', 'lib/', 'a @ ./lib', 'a @ file:lib/a.whl', '-f ./wheels'],
])('what lies beside the file is refused by its line: %s', async (line) => {
  await put('requirements.txt', '-r base.txt\n');
  await put('base.txt', `numpy\n${line}\n`);
  await expect(wanted('requirements.txt')).rejects.toMatchObject({
    code: 'requirement_local',
    params: { file: 'base.txt', line },
  });
});

it('the encodings that PowerShell writes', async () => {
  const text = 'torch==2.3.1\r\nnumpy\r\n';
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
  for (const bytes of [utf16, Buffer.from(utf16).swap16(), Buffer.from(`\uFEFF${text}`)]) {
    await put('requirements.txt', bytes);
    expect((await wanted('requirements.txt')).files).toEqual({ 'requirements.txt': text });
  }
});

it('the PyTorch that is named for nodes, which have Linux', () => {
  const named = (text: string) => torchNamed({ files: { 'requirements.txt': text }, packages: [] });
  const both = 'torch==2.2.2; sys_platform == "darwin"\ntorch==2.6.0 ; sys_platform != "darwin" # new\n';
  expect(named(both)).toBe('2.6.0');
  expect(
    named(`  "torch==2.2.2; sys_platform == 'win32'",\n  "torch==2.5.0; platform_system == 'Linux'",`),
  ).toBe('2.5.0');
  expect(named("torch==2.4.0; sys_platform == 'linux' and os_name == 'posix'")).toBe('2.4.0');
  expect(named("torch==2.4.0; sys_platform == 'linux' and python_version < '3.9'")).toBeUndefined();
  expect(named("torch==2.4.0; sys_platform == 'linux' or sys_platform == 'win32'")).toBeUndefined();
  expect(named('torch==2.4.0 # not 2.5; it hangs')).toBe('2.4.0');
});
