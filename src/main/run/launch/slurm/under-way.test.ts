/** An app that ends while `sbatch` answers slowly: another one looks at the run, by a real shell and stand-ins for Slurm's commands. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newSlurmTarget } from '../../../../shared/lab/where.ts';
import { createSkippingClock } from '../../../base/testing/skipping-clock.ts';
import type { ExecResult, SshSession } from '../../../ssh/index.ts';
import { programsOnly } from '../../../ssh/testing/local-shell.ts';
import { clusterLab } from '../testing/cluster-lab.ts';
import { createSlurmController } from './controller.ts';
import { createSlurmLauncher } from './slurm-launcher.ts';
import { noLeftJobs } from './testing/no-left-jobs.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'under-way-'));
  await mkdir(join(folder, 'r/rank-0'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
/** The job was asked for so many minutes ago. */
const asked = async (minutes: number): Promise<void> => {
  await put('r/job-1.asked', '');
  const at = Date.now() / 1000 - 60 * minutes;
  await utimes(join(folder, 'r/job-1.asked'), at, at);
};

/** @param squeue what it does where it is asked for a name */
function ringlab(squeue = ':') {
  const clock = createSkippingClock();
  const path = programsOnly(join(folder, 'bin'), {
    squeue: `#!/bin/sh\ncase "$*" in *--name=ringlab-r-1*) ${squeue} ;; *) echo '7|RUNNING|None|N/A|node1' ;; esac\n`,
  });
  // Of a session the launcher executes commands alone.
  const session = {
    exec: (script: string): Promise<ExecResult> =>
      new Promise((done) => {
        const env = { PATH: `${path}:/usr/bin:/bin` };
        const child = execFile('sh', ['-c', script], { env }, (_, stdout, stderr) =>
          done({ code: child.exitCode, signal: null, stdout, stderr }),
        );
      }),
  } as SshSession;
  const slurm = newSlurmTarget();
  const launcher = createSlurmLauncher({
    ...{ lab: clusterLab(slurm), slurm, clock, controller: createSlurmController(clock), left: noLeftJobs },
    ...{ session: () => Promise.resolve(session), bootIdFile: '/proc/boot', timeout: 5000 },
  });
  const directory = join(folder, 'r/rank-0');
  const order = { nodeId: 'a', label: 'rank-0', directory, argv: [], env: {}, attempt: 1 };
  return async (): Promise<string | undefined> => (await launcher.look([order])).map(({ state }) => state)[0];
}

it('a run whose sbatch has not answered yet is starting, and is followed once its number is there', async () => {
  const look = ringlab();
  expect(await look()).toBe('absent');
  await asked(0);
  expect(await look()).toBe('starting');
  await put('r/job-1', '7\n');
  expect(await look()).toBe('alive');
});

it('so it is while the lock is held, however long', async () => {
  await asked(10);
  const holder = spawn('flock', [join(folder, 'r/.submission.lock'), 'sh', '-c', 'echo held; read line'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const look = ringlab();
  expect(await look()).toBe('starting');
  holder.stdin.end('\n');
  await once(holder, 'exit');
  expect(await look()).toBe('absent');
});

it('a job that Slurm took without an answer is found by its name', async () => {
  await asked(10);
  const look = ringlab(`printf '12\\n7\\n'`);
  expect(await look()).toBe('starting');
  expect(await readFile(join(folder, 'r/job-1'), 'utf8')).toBe('7\n');
  expect(await look()).toBe('alive');
});

it('nothing is given up while Slurm does not answer', async () => {
  await asked(10);
  const look = ringlab('echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1');
  expect(await look()).toBe('starting');
});
