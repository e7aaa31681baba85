/** Tests the commands that build a trainer: how many compilers at once, and what is kept of an attempt that failed. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lineIn } from '../../../shared/base/phrase.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import type { StepContext } from '../engine/step.ts';
import { planBuild } from './trainer-build.ts';

const gib = 1024 ** 3;

async function commands(
  facts: Partial<NodeFacts>,
  folder = '/home/u/build',
  prefix = '/opt/libtorch',
): Promise<string[]> {
  const shell = { ...createLocalShell({ home: '/' }), run: () => Promise.resolve('') };
  const libtorch = { version: '2.11.0', abi: 'cxx11', prefix };
  // What a plan reads of a context.
  const context = { shell, work: { facts, libtorch } } as unknown as StepContext;
  const sources = {
    version: '1',
    hash: '',
    archive: () => Promise.reject(new Error('a plan sends nothing')),
  };
  const changes = await planBuild(context, sources, folder, '/home/u/ringlab-train');
  return changes.map(({ command }) => lineIn(command, 'en'));
}

const jobs = async (facts: Partial<NodeFacts>): Promise<string | undefined> =>
  (await commands(facts)).flatMap((command) => /--parallel (\d+)/.exec(command)?.[1] ?? [])[0];

it('has a compiler a core, as far as the memory goes', async () => {
  expect(await jobs({ cpus: 8, memoryFreeBytes: 64 * gib })).toBe('8');
  expect(await jobs({ cpus: 8, memoryFreeBytes: 6 * gib })).toBe('4');
  expect(await jobs({ cpus: 8, memoryFreeBytes: gib })).toBe('1');
});

it('keeps to the limits of a container, which are lower than the machine’s', async () => {
  const machine = { cpus: 64, memoryFreeBytes: 500 * gib };
  expect(await jobs({ ...machine, limits: { cpus: 4, memoryBytes: 16 * gib } })).toBe('4');
  expect(await jobs({ ...machine, limits: { memoryBytes: 16 * gib } })).toBe('10');
  expect(await jobs({ ...machine, limits: { cpus: 0.5 } })).toBe('1');
  expect(await jobs({ cpus: 2, memoryFreeBytes: 64 * gib, limits: { cpus: 4 } })).toBe('2');
});

it('an attempt after one that failed continues it, unless generator or libtorch have changed, which CMake would keep', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source = join(folder, 'src');
  mkdirSync(source, { recursive: true });
  writeFileSync(
    join(source, 'CMakeLists.txt'),
    'cmake_minimum_required(VERSION 3.18)\nproject(x NONE)\nfind_path(WHERE where)\nfile(WRITE ${CMAKE_BINARY_DIR}/found ${WHERE})\n',
  );
  for (const name of ['a', 'b']) {
    mkdirSync(join(folder, name, 'include'), { recursive: true });
    writeFileSync(join(folder, name, 'include', 'where'), '');
  }
  const configure = async (prefix: string, hasNinja = true): Promise<string> => {
    const all = await commands({ cpus: 1, memoryFreeBytes: gib }, folder, join(folder, prefix));
    const command = all.find((one) => one.includes('cmake -S')) ?? '';
    execFileSync('sh', ['-c', hasNinja ? command : command.replace('command -v ninja', 'false')], {
      stdio: 'pipe',
    });
    return readFileSync(join(folder, 'out', 'found'), 'utf8');
  };
  const object = join(folder, 'out', 'object.o');
  expect(await configure('a', false)).toBe(join(folder, 'a', 'include'));
  expect(await configure('a')).toBe(join(folder, 'a', 'include'));
  writeFileSync(object, '');
  await configure('a');
  expect(existsSync(object)).toBe(true);
  expect(await configure('b')).toBe(join(folder, 'b', 'include'));
  expect(existsSync(object)).toBe(false);
});
