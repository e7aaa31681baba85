import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { Runner } from '../node/trainer-origin.ts';
import { createTrainerShelf, describeBinary } from './trainer-shelf.ts';
import { fingerprintOf, makeFor } from './trainer-version.ts';

let folder: string;
let program: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-shelf-'));
  program = join(folder, 'ringlab-train');
  const facts = { version: '0.1.0', source_hash: 'h', libtorch: '1.13.1', arch: 'x86_64', abi: 'cxx11' };
  writeFileSync(program, `#!/bin/sh\necho '${JSON.stringify(facts)}'\n`, { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Whether a node with this glibc gets it. */
async function isSent(glibc: string): Promise<boolean> {
  const shelf = createTrainerShelf({ folder: join(folder, 'kept'), prebuilt: program });
  const facts = { arch: 'x86_64', glibc } as NodeFacts; // what a make is read from
  const libtorch = { version: '1.13.1', abi: 'cxx11' } as const;
  const runner = { circle: 'c', shares: new Set() } as unknown as Runner; // no node has built one
  return (await shelf.find(fingerprintOf(makeFor(facts, libtorch, 'h')), runner)) !== undefined;
}

it('a trainer from elsewhere is for nodes with the glibc that it was built with, and with this computer’s', async () => {
  const here = (await describeBinary(program))?.glibc ?? [];
  expect(here).toHaveLength(1);
  expect(await isSent('2.0')).toBe(false);
  writeFileSync(`${program}.glibc`, '2.0\n');
  expect(await isSent('2.0')).toBe(true);
  expect(await isSent(here[0] ?? '')).toBe(true);
  expect(await isSent('2.1')).toBe(false);
});

it.each(['', 'musl', '2.0\n2.1\n'])('a note %j beside it that is no version says nothing', async (note) => {
  writeFileSync(`${program}.glibc`, note);
  expect((await describeBinary(program))?.glibc).toEqual([expect.stringMatching(/^2\.\d+$/)]);
});
