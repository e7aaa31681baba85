/** The ranks of a job are asked to stop once, when they are there: another signal would end a trainer before it has saved. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newSlurmTarget } from '../../../../shared/lab/where.ts';
import { createSkippingClock } from '../../../base/testing/skipping-clock.ts';
import type { ExecResult, SshSession } from '../../../ssh/index.ts';
import { clusterLab } from '../testing/cluster-lab.ts';
import { createSlurmController } from './controller.ts';
import { createSlurmLauncher } from './slurm-launcher.ts';
import { noLeftJobs } from './testing/no-left-jobs.ts';
import { jobProcess } from './slurm-process.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'one-signal-'));
  for (const name of ['bin', 'r/rank-0', 'r/rank-1']) await mkdir(join(folder, name), { recursive: true });
  await put('bin/scancel', `#!/bin/sh\necho "$*" >>${folder}/cancelled\n`);
  await chmod(join(folder, 'bin/scancel'), 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const began = (rank: number, pid: number): Promise<void> =>
  put(`r/rank-${rank}/pid`, `{"pid":${pid},"boot_id":"b","start_ticks":5,"attempt":1}\n`);
/** Signals that the job’s ranks got. */
const sent = async (): Promise<string[]> =>
  (await readFile(join(folder, 'cancelled'), 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line.startsWith('--signal='));

/** One Ringlab: each call asks rank 0 to stop, seconds after the one before, and resolves with whether that arrived. */
function ringlab(): (name?: 'TERM' | 'KILL') => Promise<boolean> {
  const clock = createSkippingClock();
  const slurm = newSlurmTarget();
  // Of a session the launcher executes commands alone.
  const session = {
    exec: (script: string): Promise<ExecResult> =>
      new Promise((done) => {
        const env = { ...process.env, PATH: `${folder}/bin:${process.env.PATH ?? ''}` };
        execFile('sh', ['-c', script], { env }, (error, stdout, stderr) => {
          done({ code: error === null ? 0 : Number(error.code), signal: null, stdout, stderr });
        });
      }),
  } as SshSession;
  const launcher = createSlurmLauncher({
    ...{ lab: clusterLab(slurm), slurm, clock, controller: createSlurmController(clock), left: noLeftJobs },
    ...{ session: () => Promise.resolve(session), bootIdFile: '/proc/boot', timeout: 1000 },
  });
  const directory = join(folder, 'r', 'rank-0');
  const order = { nodeId: 'a', label: 'rank-0', directory, argv: [], env: {}, attempt: 1 };
  return (name = 'TERM') => {
    clock.skip(5000);
    return launcher.signal(order, jobProcess('7'), name);
  };
}

it('a signal in the seconds before a rank runs, which nothing gets, is repeated', async () => {
  const stop = ringlab();
  expect(await stop()).toBe(false);
  expect(await stop()).toBe(false);
  await began(0, 11);
  expect(await stop()).toBe(true);
  expect(await sent()).toEqual(Array(3).fill('--signal=TERM 7'));
});

it('whoever asks again, until the job begins again', async () => {
  await began(0, 11);
  expect(await ringlab()()).toBe(true);
  expect(await ringlab()()).toBe(true);
  // The file of another rank is seen later.
  await began(1, 12);
  expect(await ringlab()()).toBe(true);
  expect(await sent()).toEqual(['--signal=TERM 7']);
  await began(0, 21);
  await began(1, 22);
  const stop = ringlab();
  expect(await stop()).toBe(true);
  expect(await stop()).toBe(true);
  expect(await sent()).toEqual(Array(2).fill('--signal=TERM 7'));
  await stop('KILL');
  expect(await sent()).toEqual([...Array<string>(2).fill('--signal=TERM 7'), '--signal=KILL 7']);
});

it('also where that cannot be noted, as on a full disk', async () => {
  await began(0, 11);
  // In place of the note, which no user could write then.
  await mkdir(join(folder, 'r', 'signalled-7'));
  expect(await ringlab()()).toBe(true);
  expect(await sent()).toEqual(['--signal=TERM 7']);
});
