/** What the launcher of a rank writes on a node whose clock is set during a run (fault 33). */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LineClock } from '../../../shared/node/node-clock.ts';
import { programsOnly } from '../../ssh/testing/local-shell.ts';
import { afterStart, orderFiles } from './order-files.ts';

const run = promisify(execFile);
const bootIdFile = '/proc/sys/kernel/random/boot_id';
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'order-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs a process to its end on a node whose clock is a day behind; returns what it saw, and when it ended. */
async function ended(clock: LineClock | undefined): Promise<{ about: string; t: number }> {
  const directory = join(folder, 'rank-0');
  await mkdir(directory);
  const argv = ['sh', '-c', 'printf %s "$RINGLAB_CLOCK_ABOUT" >about'];
  const order = { nodeId: 'n', label: 'rank-0', directory, argv, env: {}, attempt: 1, clock };
  await run('sh', ['-c', orderFiles(order, bootIdFile)], { cwd: directory });
  const programs = programsOnly(join(folder, 'bin'), { date: '#!/bin/sh\necho 1000\n' });
  await run('sh', ['launch.sh'], {
    cwd: directory,
    env: { ...process.env, PATH: `${programs}:${process.env.PATH ?? ''}` },
  });
  const exit = await readFile(join(directory, 'exit.json'), 'utf8');
  return {
    about: await readFile(join(directory, 'about'), 'utf8'),
    t: Number(/"t":(-?\d+),/.exec(exit)?.[1]),
  };
}

it('tells a process when the node was started, and says by that when it ended', async () => {
  const bootId = (await readFile(bootIdFile, 'utf8')).trim();
  const bootedAt = Date.now() / 1000 - uptime();
  const { about, t } = await ended({ bootedAt, bootId });
  expect(about).toBe(`${bootedAt.toFixed(3)},${bootId}`);
  expect(Math.abs(t - Date.now() / 1000)).toBeLessThan(30);
});

it('takes the node’s clock where the node was started again, or nothing is known', async () => {
  expect(await ended({ bootedAt: 500, bootId: 'another' })).toEqual({ about: '500.000,another', t: 1000 });
  await rm(join(folder, 'rank-0'), { recursive: true });
  expect(await ended(undefined)).toEqual({ about: '', t: 1000 });
});

it('marks another start in the log of a script, at the beginning of a line', async () => {
  const directory = join(folder, 'rank-0');
  await mkdir(directory);
  const log = async (attempt: number, prints: string): Promise<string> => {
    const argv = ['printf', '%b', prints];
    const order = { nodeId: 'n', label: 'rank-0', directory, argv, env: {}, attempt, marksStarts: true };
    await run('sh', ['-c', orderFiles(order, bootIdFile)], { cwd: directory });
    await run('sh', ['launch.sh'], { cwd: directory });
    return await readFile(join(directory, 'log.txt'), 'utf8');
  };
  expect(await log(1, 'one')).toBe('one');
  expect(await log(2, 'two\\n')).toBe('one\n[ringlab] attempt 2\ntwo\n');
  const all = await log(3, '');
  expect(all).toBe('one\n[ringlab] attempt 2\ntwo\n[ringlab] attempt 3\n');
  expect(all.slice(afterStart(all))).toBe('');
  const two = all.slice(0, all.indexOf('[ringlab] attempt 3'));
  expect(two.slice(afterStart(two))).toBe('two\n');
  expect(afterStart('one\n')).toBe(0);
  await rm(join(directory, 'log.txt'));
  expect(await log(4, 'four')).toBe('[ringlab] attempt 4\nfour');
  // What a file system leaves of a log after a power cut.
  await writeFile(join(directory, 'log.txt'), 'step 84\0\0');
  expect(await log(5, '')).toBe('step 84\0\0\n[ringlab] attempt 5\n');
});

it('starts a program whose path has an equals sign in it', async () => {
  const directory = join(folder, 'rank-0');
  const bin = join(folder, 'torch=2.3');
  await mkdir(directory);
  await mkdir(bin);
  await writeFile(join(bin, 'python'), '#!/bin/sh\nprintf "%s" "$NAME $*"\n', { mode: 0o755 });
  const argv = [join(bin, 'python'), '/etc/hostname', 'a=b'];
  const order = { nodeId: 'n', label: 'rank-0', directory, argv, env: { NAME: 'x=y' }, attempt: 1 };
  await run('sh', ['-c', orderFiles(order, bootIdFile)], { cwd: directory });
  await run('sh', ['launch.sh'], { cwd: directory });
  expect(await readFile(join(directory, 'log.txt'), 'utf8')).toBe('x=y /etc/hostname a=b');
});

it.each([
  ['exit 0', { code: 0, signal: null }],
  ['exit 3', { code: 3, signal: null }],
  ['exit 128', { code: 128, signal: null }],
  // Python's sys.exit(-1).
  ['exit 255', { code: 255, signal: null }],
  ['exit 193', { code: 193, signal: null }],
  ['kill -TERM $$', { code: null, signal: 15 }],
  ['kill -64 $$', { code: null, signal: 64 }],
])('tells a signal from an exit code: %s', async (text, how) => {
  const directory = join(folder, 'rank-0');
  await mkdir(directory);
  const order = { nodeId: 'n', label: 'rank-0', directory, argv: ['sh', '-c', text], env: {}, attempt: 1 };
  await run('sh', ['-c', orderFiles(order, bootIdFile)], { cwd: directory });
  await run('sh', ['launch.sh'], { cwd: directory });
  expect(JSON.parse(await readFile(join(directory, 'exit.json'), 'utf8'))).toMatchObject(how);
});

it.each([
  ['that had SIGTERM ended as it was asked to', true, 1, '"code":null,"signal":15'],
  ['that had none has failed', false, 1, '"code":1,"signal":null'],
  ['that ended otherwise says so', true, 3, '"code":3,"signal":null'],
])('an elastic agent %s', async (_, isAsked, code, how) => {
  const directory = join(folder, 'rank-0');
  await mkdir(directory);
  // Slurm signals all processes of a step.
  const asks = isAsked ? 'kill -TERM "$PPID"; ' : '';
  const argv = ['sh', '-c', `${asks}exit ${code}`];
  const order = { nodeId: 'n', label: 'rank-0', directory, argv, env: {}, attempt: 1 };
  await run('sh', ['-c', orderFiles(order, bootIdFile, { isAgent: true })], { cwd: directory });
  await run('sh', ['launch.sh'], { cwd: directory });
  expect(await readFile(join(directory, 'exit.json'), 'utf8')).toContain(how);
});
