/** What a killed process leaves behind: torchrun's agent starts each worker in a session of its own. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startScript } from './start-script.ts';

const run = promisify(execFile);
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'left-processes-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const read = (name: string): Promise<string> => readFile(join(directory, name), 'utf8').catch(() => '');
/** A zombie, which nobody waits for, is over. */
const isAlive = (pid: number): Promise<boolean> =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    (stat) => !/\) Z /.test(stat),
    () => false,
  );

/** Starts a stand-in of the agent, with a worker in a session of its own. */
async function start(agent: string): Promise<{ agent: number; worker: number }> {
  const order = {
    nodeId: 'n',
    label: 'agent-0',
    directory,
    argv: ['sh', '-c', `setsid sh -c 'echo $$ >worker; sleep 300' & ${agent}`],
    env: {},
    attempt: 1,
  };
  await run('sh', ['-c', startScript(order, '/proc/sys/kernel/random/boot_id')]);
  await expect.poll(() => read('worker')).toMatch(/^\d+\n/);
  return { agent: Number(/"pid":(\d+)/.exec(await read('pid'))?.[1]), worker: Number(await read('worker')) };
}

it('the workers of an agent that was killed alone end, too', async () => {
  const { agent, worker } = await start('wait');
  expect(await isAlive(worker)).toBe(true);
  process.kill(agent, 'SIGKILL');
  try {
    await expect.poll(() => read('exit.json')).toContain('"signal":9');
    // Before the exit is written.
    expect(await isAlive(worker)).toBe(false);
  } finally {
    await run('sh', ['-c', `kill -KILL -${worker} 2>/dev/null || :`]);
  }
});

it('what a script that ends by itself left running stays', async () => {
  const { worker } = await start('while [ ! -s worker ]; do sleep 0.1; done; exit 3');
  try {
    await expect.poll(() => read('exit.json')).toContain('"code":3');
    expect(await isAlive(worker)).toBe(true);
  } finally {
    process.kill(-worker, 'SIGKILL');
  }
});
