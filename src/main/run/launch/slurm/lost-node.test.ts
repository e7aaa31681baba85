/** Jobs of an own script that lose a compute node: its exit codes say nothing of it, but the node falls silent. */
import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newSlurmTarget } from '../../../../shared/lab/where.ts';
import { createSkippingClock } from '../../../base/testing/skipping-clock.ts';
import { programsOnly } from '../../../ssh/testing/local-shell.ts';
import type { ExecResult, SshSession } from '../../../ssh/index.ts';
import type { LaunchOrder } from '../../record/launcher.ts';
import { clusterLab } from '../testing/cluster-lab.ts';
import { createSlurmController, queryEvery } from './controller.ts';
import { createSlurmLauncher } from './slurm-launcher.ts';
import { noLeftJobs } from './testing/no-left-jobs.ts';

const nodes = ['a', 'b', 'c'];
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lost-node-'));
  for (const [index] of nodes.entries())
    for (const name of [`rank-${index}`, `monitor-${index}`])
      await mkdir(join(folder, 'r', name), { recursive: true });
  await put('r/job-1', '7\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const ends = (name: string, code: number): Promise<void> =>
  put(`r/${name}/exit.json`, `{"code":${code},"signal":null,"t":1,"attempt":1}\n`);
/** The monitors of these nodes write, as they do every second. */
const samples = async (indices: readonly number[]): Promise<void> => {
  for (const index of indices)
    await appendFile(join(folder, 'r', `monitor-${index}`, 'metrics.jsonl'), '{"kind":"sample"}\n');
};

/** A run of three nodes, each with a rank and its monitor. */
function ringlab({ requeue = true } = {}) {
  const clock = createSkippingClock();
  const slurm = { ...newSlurmTarget(), requeue };
  const path = programsOnly(join(folder, 'bin'), {
    squeue: `#!/bin/sh\nprintf '7|%s|None|N/A|node[1-3]\\n' "$(cat ${folder}/state)"\n`,
  });
  // Of a session the launcher executes commands alone.
  const session = {
    exec: (script: string): Promise<ExecResult> =>
      new Promise((done) => {
        execFile(
          'sh',
          ['-c', script],
          { env: { PATH: `${path}:/usr/bin:/bin` } },
          (error, stdout, stderr) => {
            done({ code: error === null ? 0 : Number(error.code), signal: null, stdout, stderr });
          },
        );
      }),
  } as SshSession;
  const lab = clusterLab(slurm);
  lab.experiment.script = { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: '' };
  const launcher = createSlurmLauncher({
    ...{ lab, slurm, clock, controller: createSlurmController(clock), left: noLeftJobs },
    ...{ session: () => Promise.resolve(session), bootIdFile: '/proc/boot', timeout: 1000 },
  });
  const orders = nodes.flatMap((nodeId, index) =>
    ['rank', 'monitor'].map((kind): LaunchOrder => {
      const directory = join(folder, 'r', `${kind}-${index}`);
      const label = kind === 'rank' ? `rank-${index}` : kind;
      return { nodeId, label, directory, argv: [], env: {}, attempt: 1 };
    }),
  );
  /** What the ranks do after so many seconds, in which it looks often. @param writing nodes whose monitors write */
  return async (seconds: number, writing: readonly number[], state = 'RUNNING'): Promise<string[]> => {
    await put('state', state);
    const every = seconds > 60 ? 30_000 : queryEvery;
    let states: string[] = [];
    for (let passed = 0; passed < seconds * 1000; passed += every) {
      await samples(writing);
      clock.skip(every);
      states = (await launcher.look(orders)).map((sight) => sight.state);
    }
    return states.filter((_, index) => index % 2 === 0);
  };
}

it('the others’ failure waits for Slurm, which calls the node down minutes later and requeues the job', async () => {
  const look = ringlab();
  expect(await look(20, [0, 1, 2])).toEqual(['alive', 'alive', 'alive']);
  // The last line that node b wrote is seen after the others have failed.
  await ends('rank-0', 1);
  await ends('rank-2', 134);
  expect(await look(5, [0, 1, 2])).toEqual(['alive', 'alive', 'alive']);
  expect(await look(60, [0, 2])).toEqual(['alive', 'alive', 'alive']);
  expect(await look(10 * 60, [0, 2])).toEqual(['alive', 'alive', 'alive']);
  expect(await look(10, [], 'PENDING')).toEqual(['alive', 'alive', 'alive']);
});

it('a node that stays silent without a word from Slurm ends the run in the end', async () => {
  const look = ringlab();
  await look(20, [0, 1, 2]);
  await ends('rank-0', 1);
  await ends('rank-2', 1);
  expect(await look(13 * 60, [0, 2])).toEqual(['alive', 'alive', 'alive']);
  expect(await look(3 * 60, [0, 2])).toEqual(['exited', 'alive', 'exited']);
});

it('a rank that fails while all nodes are up has failed, though the others hang in a collective', async () => {
  const look = ringlab();
  await look(20, [0, 1, 2]);
  await ends('rank-1', 1);
  expect(await look(25, [0, 1, 2])).toEqual(['alive', 'exited', 'alive']);
});

it('its end is not waited for where all ranks have ended, nor where the job is not requeued', async () => {
  const look = ringlab();
  await look(10, [0, 1, 2]);
  for (const rank of ['rank-0', 'rank-1', 'rank-2']) await ends(rank, 1);
  expect(await look(10, [])).toEqual(['exited', 'exited', 'exited']);

  const once = ringlab({ requeue: false });
  await rm(join(folder, 'r/rank-1/exit.json'));
  // What code 4 means to the trainer it does not mean to a script.
  await ends('rank-0', 4);
  expect(await once(10, [0, 2])).toEqual(['exited', 'alive', 'exited']);
});

it('a node whose monitor has ended is not taken for silent', async () => {
  const look = ringlab();
  await look(10, [0, 1, 2]);
  await ends('monitor-1', 1);
  await ends('rank-0', 1);
  expect(await look(25, [0, 2])).toEqual(['exited', 'alive', 'alive']);
});

it('a rank that saved early before the time limit waits for the others, also between the last one’s end and the requeue', async () => {
  const look = ringlab();
  await look(10, [0, 1, 2]);
  await ends('rank-1', 143);
  expect(await look(90, [0, 1, 2])).toEqual(['alive', 'alive', 'alive']);
  await ends('rank-0', 143);
  await ends('rank-2', 143);
  expect(await look(30, [0, 1, 2])).toEqual(['alive', 'alive', 'alive']);
  expect(await look(10, [], 'PENDING')).toEqual(['alive', 'alive', 'alive']);
});

it('a job that Slurm shows no more goes on while its nodes write, and has vanished a minute after they stopped', async () => {
  const look = ringlab({ requeue: false });
  await look(20, [0, 1, 2]);
  expect(await look(5 * 60, [0, 1], '')).toEqual(['alive', 'alive', 'alive']);
  expect(await look(60, [], '')).toEqual(['alive', 'alive', 'alive']);
  expect(await look(20, [], '')).toEqual(['vanished', 'vanished', 'vanished']);
  expect(await look(10, [])).toEqual(['alive', 'alive', 'alive']);
});
