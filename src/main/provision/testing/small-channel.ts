/** For tests: a conda channel of a few small packages, served on the loopback, which can be made to fail. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { startFileServer, type FileServer } from '../../transfer/testing/file-server.ts';

export interface SmallPackage {
  readonly name: string;
  readonly version: string;
  readonly build: string;
  readonly depends?: readonly string[];
  /** Path below the environment → content; programs are in `bin/`. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface SmallChannel extends FileServer {
  /** The packages that were downloaded from the channel. */
  packagesFetched(): string[];
}

const glibc = '__glibc >=2.17,<3.0.a0';
const headers = { 'include/torch/csrc/api/include/torch/torch.h': '' };
const library = (name: string): Record<string, string> => ({
  [`lib/lib${name}.so`]: '',
  [`include/${name === 'jpeg' ? 'jpeglib.h' : name === 'z' ? 'zlib.h' : `${name}.h`}`]: '',
});
const torch = (version: string, build: string, depends: readonly string[]): SmallPackage => ({
  name: 'libtorch',
  version,
  build,
  depends: ['libzlib', ...depends],
  files: { 'lib/libtorch.so': `libtorch ${version} ${build}`, 'lib/libc10.so': '', ...headers },
});

/** Like conda-forge: builds for CPU and CUDA of two versions, and older ones for older systems. */
const defaultPackages: readonly SmallPackage[] = [
  torch('1.10.2', 'cpu_h1', ['__glibc >=2.12']),
  torch('2.1.0', 'cpu_h2', [glibc]),
  torch('2.1.0', 'cuda120_h2', [glibc, '__cuda']),
  torch('2.4.1', 'cpu_h3', ['__glibc >=2.28,<3.0.a0']),
  torch('2.4.1', 'cuda120_h3', ['__glibc >=2.28,<3.0.a0', '__cuda']),
  { name: 'libzlib', version: '1.3.1', build: 'h0' },
  { name: 'zlib', version: '1.3.1', build: 'h0', depends: ['libzlib'], files: library('z') },
  { name: 'libtiff', version: '4.7.0', build: 'h0', depends: ['libzlib'], files: library('tiff') },
  { name: 'libwebp-base', version: '1.4.0', build: 'h0', files: library('webp') },
  { name: 'libjpeg-turbo', version: '3.0.0', build: 'h0', files: library('jpeg') },
  {
    name: 'cxx-compiler',
    version: '1.8.0',
    build: 'h0',
    files: { 'bin/c++': '#!/bin/sh\nexec /usr/bin/c++ "$@"\n' },
  },
  {
    name: 'cmake',
    version: '3.30.5',
    build: 'h0',
    files: { 'bin/cmake': '#!/bin/sh\nexec /usr/bin/cmake "$@"\n' },
  },
  {
    name: 'ninja',
    version: '1.12.1',
    build: 'h0',
    files: { 'bin/ninja': '#!/bin/sh\nexec /usr/bin/ninja "$@"\n' },
  },
  { name: 'cuda-cudart-dev', version: '12.0.146', build: 'h0' },
  { name: 'libcublas-dev', version: '12.0.2', build: 'h0' },
  { name: 'libcusolver-dev', version: '11.4.2', build: 'h0' },
  { name: 'nccl', version: '2.23.4', build: 'h0' },
];

function writeChannel(folder: string, packages: readonly SmallPackage[]): void {
  const place = join(folder, 'linux-64');
  mkdirSync(place, { recursive: true });
  const listed: Record<string, unknown> = {};
  for (const { name, version, build, depends = [], files = {} } of packages) {
    const fn = `${name}-${version}-${build}.tar.bz2`;
    const tree = mkdtempSync(join(tmpdir(), 'ringlab-package-'));
    const all = { ...files, [`conda-meta/${name}-${version}-${build}.json`]: '{}', 'info/index.json': '{}' };
    for (const [path, content] of Object.entries(all)) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), content, { mode: path.startsWith('bin/') ? 0o755 : 0o644 });
    }
    execFileSync('tar', ['-cjf', join(place, fn), '-C', tree, '.']);
    rmSync(tree, { recursive: true });
    const bytes = readFileSync(join(place, fn));
    listed[fn] = {
      name,
      version,
      build,
      build_number: 0,
      depends,
      md5: createHash('md5').update(bytes).digest('hex'),
      sha256: createHash('sha256').update(bytes).digest('hex'),
      size: bytes.length,
    };
  }
  writeFileSync(
    join(place, 'repodata.json'),
    JSON.stringify({ info: { subdir: 'linux-64' }, packages: listed }),
  );
}

/** One copy for all tests of a file: packing is slow. */
const made = new Map<readonly SmallPackage[], string>();

export async function startChannel(
  packages: readonly SmallPackage[] = defaultPackages,
): Promise<SmallChannel> {
  let folder = made.get(packages);
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), 'ringlab-channel-'));
    writeChannel(folder, packages);
    made.set(packages, folder);
    const mine = folder;
    process.once('exit', () => rmSync(mine, { recursive: true, force: true }));
  }
  const server = await startFileServer(folder);
  return Object.assign(server, {
    packagesFetched: () =>
      server.asked.filter(({ path }) => path.endsWith('.tar.bz2')).map(({ path }) => basename(path)),
  });
}
