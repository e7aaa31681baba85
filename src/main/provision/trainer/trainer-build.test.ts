/** Tests how many compilers the build of a trainer starts at once. */
import { expect, it } from 'vitest';
import { lineIn } from '../../../shared/base/phrase.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import type { StepContext } from '../engine/step.ts';
import { planBuild } from './trainer-build.ts';

const gib = 1024 ** 3;

async function jobs(facts: Partial<NodeFacts>): Promise<string | undefined> {
  const shell = { ...createLocalShell({ home: '/' }), run: () => Promise.resolve('') };
  const libtorch = { version: '2.11.0', abi: 'cxx11', prefix: '/opt/libtorch' };
  // What a plan reads of a context.
  const context = { shell, work: { facts, libtorch } } as unknown as StepContext;
  const sources = {
    version: '1',
    hash: '',
    archive: () => Promise.reject(new Error('a plan sends nothing')),
  };
  const changes = await planBuild(context, sources, '/home/u/build', '/home/u/ringlab-train');
  return changes.flatMap(({ command }) => /--parallel (\d+)/.exec(lineIn(command, 'en'))?.[1] ?? [])[0];
}

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
