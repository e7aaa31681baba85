import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchProgram, type Replaced } from './replaced.ts';

let folder: string;
let program: string;
let watched: Replaced | undefined;
let count: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-replaced-'));
  program = join(folder, 'cli.js');
  count = 0;
  await install('one', 1000);
  watched = watchProgram(program, () => (count += 1), 20);
});
afterEach(async () => {
  watched?.close();
  await rm(folder, { recursive: true, force: true });
});

/** As a package does: a new file takes the old one's place. */
async function install(text: string, seconds: number): Promise<void> {
  await writeFile(`${program}.new`, text);
  await utimes(`${program}.new`, seconds, seconds);
  await rename(`${program}.new`, program);
}
/** Longer than several looks, on a machine that is not busy. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));

it('is reported once, also where the file was away for a moment', async () => {
  await rm(program);
  await pause();
  expect([count, watched?.now()]).toEqual([0, false]);
  await install('two', 2000);
  await expect.poll(() => count).toBe(1);
  expect(watched?.now()).toBe(true);
  await install('three and more', 3000);
  await pause();
  expect(count).toBe(1);
});

it('the same version installed again is none', async () => {
  await install('one', 1000);
  await pause();
  expect([count, watched?.now()]).toEqual([0, false]);
  await install('two', 1000);
  await pause();
  expect(count).toBe(0);
  await install('longer', 1000);
  await expect.poll(() => count).toBe(1);
});
