/** A process is asked to stop once: another signal would end a trainer before it has saved (native/PROTOCOL.md). */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LaunchOrder } from '../../record/launcher.ts';
import { parseProcess } from './sight.ts';
import { sshProcess, type SshProcess } from './ssh-process.ts';
import { signalScript, startScript } from './start-script.ts';

const bootIdFile = '/proc/sys/kernel/random/boot_id';
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'one-signal-'));
});
// A killed shell's launcher still writes how it ended.
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));

const run = (script: string): Promise<{ code: number; stdout: string }> =>
  new Promise((done) => {
    execFile('sh', ['-c', script], (error, stdout) => {
      done({ code: error === null ? 0 : Number(error.code), stdout });
    });
  });
/** What it got, a word each. */
const got = (): Promise<string> => readFile(join(directory, 'got'), 'utf8').catch(() => '');
const order = (attempt: number): LaunchOrder => ({
  ...{ nodeId: 'n', label: 'rank-0', directory, env: {}, attempt },
  argv: [
    'sh',
    '-c',
    // A shell handles signals that wait in the order of their numbers.
    `trap 'echo TERM >>got' TERM; trap 'echo WINCH >>got' WINCH; echo >>got; i=0; while [ $i -lt 600 ]; do i=$((i + 1)); sleep 0.1; done`,
  ],
});
async function start(attempt: number): Promise<SshProcess> {
  await rm(join(directory, 'got'), { force: true });
  const { stdout } = await run(startScript(order(attempt), bootIdFile));
  await expect.poll(got).toBe('\n');
  return sshProcess(parseProcess(stdout, 'rank-0'));
}
const signal = async (started: SshProcess, name: 'TERM' | 'KILL', folder = directory): Promise<number> =>
  (await run(signalScript(started, name, folder, bootIdFile))).code;
/** All signals before have come when one that comes after them has. */
const gotSoFar = async (started: SshProcess): Promise<string> => {
  process.kill(started.pid, 'SIGWINCH');
  await expect.poll(got).toContain('WINCH');
  return (await got()).trim();
};

it('whoever asks again, after the answer was lost or the app was started again', async () => {
  const first = await start(1);
  expect(await signal(first, 'TERM')).toBe(0);
  await expect.poll(got).toContain('TERM');
  expect(await signal(first, 'TERM')).toBe(0);
  expect(await gotSoFar(first)).toBe('TERM\nWINCH');
  expect(await signal(first, 'KILL')).toBe(0);
  await expect.poll(() => signal(first, 'TERM')).toBe(1);
  const second = await start(2);
  expect(await signal(second, 'TERM')).toBe(0);
  await expect.poll(got).toContain('TERM');
  await signal(second, 'KILL');
});

it('also where that cannot be noted, as on a full disk', async () => {
  const started = await start(1);
  expect(await signal(started, 'TERM', join(directory, 'nowhere'))).toBe(0);
  await expect.poll(got).toContain('TERM');
  await signal(started, 'KILL');
});
