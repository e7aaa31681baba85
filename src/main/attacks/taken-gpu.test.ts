/** Attack: another lab, data folder or computer trains on the same machine: never two ranks on one GPU by mistake. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyLab } from '../../shared/lab/lab.ts';
import type { StartedProcess } from '../../shared/run/run.ts';
import { systemClock } from '../base/clock.ts';
import type { LaunchOrder } from '../run/index.ts';
import { createSshLauncher } from '../run/launch/ssh/ssh-launcher.ts';
import { createShellReach } from '../run/testing/shell-session.ts';
import { killBelow } from '../run/testing/bench.ts';
import { endProcess } from '../ssh/testing/processes.ts';

let folder: string;
const others: ChildProcess[] = [];
const shared: string[][] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-gpu-'));
  shared.length = 0;
  await writeFile(join(folder, 'ringlab-train'), '#!/bin/sh\nwhile :; do sleep 0.2; done\n', { mode: 0o755 });
});
afterEach(async () => {
  for (const other of others.splice(0)) other.kill('SIGKILL');
  await killBelow(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const lab = emptyLab('lab', 'Lab');
/** GPU numbers of this test alone: ranks of other tests on this machine are neighbours, too. */
const gpus = 211;
const gpuOf = (index: number): number => 100 + (process.pid % 50) * 2 + index;
const launcher = (home: string, through: readonly string[] = []) => {
  const reach = createShellReach(new Map([['n', { home: join(folder, home), through }]]));
  const ssh = createSshLauncher({
    clock: systemClock,
    session: () => reach.session(lab, 'n'),
    bootIdFile: '/proc/sys/kernel/random/boot_id',
    timeout: 60_000,
    onShared: (_node, runs) => shared.push([...runs]),
  });
  const start = async (order: LaunchOrder): Promise<StartedProcess> => {
    let found: StartedProcess | undefined;
    await ssh.startAll([{ ranks: [order], beside: [] }], {
      started(_order, process) {
        found = process;
        return Promise.resolve();
      },
      without: () => undefined,
    });
    if (found === undefined) throw new Error('nothing was started');
    return found;
  };
  return { start };
};
function order(
  home: string,
  runId: string,
  place: { localRank: number; gpus: number; port?: number },
): LaunchOrder {
  const distUrl = `tcp://10.0.0.1:${place.port ?? 1}`;
  const { localRank } = place;
  return {
    nodeId: 'n',
    label: 'rank-0',
    directory: join(folder, home, '.ringlab', 'runs', runId, 'rank-0'),
    argv: [join(folder, 'ringlab-train'), '--local-rank', String(localRank), '--dist-url', distUrl, '/data'],
    env: {},
    attempt: 1,
    place: { runId, distUrl, localRank, gpus: place.gpus },
  };
}

describe('a machine that is already training', () => {
  it('finding: refuses if a rank of another data folder uses the GPU, and starts nothing', async () => {
    const first = await launcher('one').start(order('one', 'run-a', { localRank: gpuOf(0), gpus, port: 1 }));
    const second = order('two', 'run-b', { localRank: gpuOf(0), gpus, port: 2 });
    await expect(launcher('two').start(second)).rejects.toMatchObject({
      code: 'gpu_in_use',
      params: { gpu: String(gpuOf(0)), run: 'run-a', pid: String(first.pid) },
    });
    await expect(readFile(join(second.directory, 'pid'))).rejects.toMatchObject({ code: 'ENOENT' });
    // Another GPU of the same machine is free, and so is this one when the rank has ended.
    await launcher('two').start({
      ...order('two', 'run-c', { localRank: gpuOf(1), gpus, port: 3 }),
    });
    endProcess(first.pid);
    await expect
      .poll(() =>
        launcher('two')
          .start(second)
          .then(
            () => 'started',
            () => 'refused',
          ),
      )
      .toBe('started');
  });

  it('does not take a rank with other GPUs of the machine, by CUDA_VISIBLE_DEVICES, for one on the same', async () => {
    const account = (devices: string) => launcher('one', ['env', `CUDA_VISIBLE_DEVICES=${devices}`]);
    const rank = (run: string, port: number) => order('one', run, { localRank: gpuOf(0), gpus, port });
    await account('0,1').start(rank('run-a', 1));
    await account('2,3').start(rank('run-b', 2));
    await expect(account('0,1').start(rank('run-c', 3))).rejects.toMatchObject({ params: { run: 'run-a' } });
    // One that has all of them may be on any.
    await expect(launcher('one').start(rank('run-d', 4))).rejects.toMatchObject({ code: 'gpu_in_use' });
  });

  it('refuses one of two runs that start at the same moment', async () => {
    await mkdir(join(folder, 'one'), { recursive: true });
    const starts = await Promise.allSettled(
      ['run-a', 'run-b', 'run-c'].map((run, index) =>
        launcher('one').start(order('one', run, { localRank: gpuOf(0), gpus, port: index + 1 })),
      ),
    );
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const start of starts)
      if (start.status === 'rejected') expect(start.reason).toMatchObject({ code: 'gpu_in_use' });
  });

  it('does not count the run’s own ranks, including those of another user or an earlier attempt', async () => {
    const one = launcher('one');
    const again = order('one', 'run-a', { localRank: gpuOf(0), gpus });
    await one.start(again);
    // The same address to meet at: a peer of the same run in another home.
    await launcher('two').start(order('two', 'run-a2', { localRank: gpuOf(0), gpus }));
    const next = await one.start({ ...again, attempt: 2 });
    expect(next.pid).toBeGreaterThan(0);
  });

  it('reports another run of the user on a node without GPUs, and both continue', async () => {
    const one = launcher('one');
    await one.start(order('one', 'run-a', { localRank: 0, gpus: 0, port: 1 }));
    expect(shared).toEqual([]);
    await one.start(order('one', 'run-b', { localRank: 0, gpus: 0, port: 2 }));
    expect(shared).toEqual([['run-a']]);
  });

  it('ignores a process that only resembles a rank: invalid numbers, line breaks, our markers', async () => {
    const odd = ['08', '99999999999999999999', '-1', '$(reboot)', '0\nbusy 1 0 x y', ''];
    for (const number of odd)
      others.push(
        spawn('sleep', ['60'], {
          argv0: `ringlab-train`,
          stdio: 'ignore',
        }),
        spawn('sh', ['-c', 'sleep 60; :', 'ringlab-train', '--local-rank', number], { stdio: 'ignore' }),
      );
    const started = await launcher('one').start(order('one', 'run-a', { localRank: gpuOf(0), gpus }));
    expect(started.pid).toBeGreaterThan(0);
  });

  it('a stale lock of an interrupted start does not block later ones', async () => {
    const runs = join(folder, 'one', '.ringlab', 'runs');
    await mkdir(join(runs, `.starting-${hostname()}`), { recursive: true });
    await writeFile(join(runs, `.starting-${hostname()}`, 'pid'), '4194999\n');
    const started = await launcher('one').start(order('one', 'run-a', { localRank: gpuOf(0), gpus }));
    expect(started.pid).toBeGreaterThan(0);
  });
});
