/** Jobs whose submission was cut off: the scripts by a real shell, with stand-ins for Slurm's commands and a link that breaks. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { newSlurmTarget } from '../../../../shared/lab/where.ts';
import type { Clock } from '../../../base/clock.ts';
import { createSkippingClock } from '../../../base/testing/skipping-clock.ts';
import type { ExecResult, SshSession } from '../../../ssh/index.ts';
import { programsOnly } from '../../../ssh/testing/local-shell.ts';
import { defaultSettings } from '../../record/settings.ts';
import { clusterLab } from '../testing/cluster-lab.ts';
import { createSlurmController } from './controller.ts';
import { createLeftJobs } from './left-jobs.ts';
import { createSlurmLauncher } from './slurm-launcher.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'left-jobs-'));
  await mkdir(join(folder, 'r'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const isThere = (name: string): boolean => existsSync(join(folder, name));
const cancelled = async (): Promise<string[]> =>
  (await readFile(join(folder, 'cancelled'), 'utf8').catch(() => '')).trimEnd().split('\n');

/** An app whose link breaks while `sbatch` works, which takes the job all the same. @param scancel what it does */
function ringlab(scancel = 'exit 0') {
  const clock: Clock = { ...createSkippingClock(), sleep: () => new Promise((done) => setTimeout(done, 5)) };
  const path = programsOnly(join(folder, 'bin'), {
    sbatch: `#!/bin/sh\n: >${folder}/asked; until [ -e ${folder}/go ]; do sleep 0.05; done; : >${folder}/taken; echo 7\n`,
    scancel: `#!/bin/sh\necho "$*" >>${folder}/cancelled\n${scancel}\n`,
    squeue: '#!/bin/sh\n',
  });
  const scripts: Promise<ExecResult>[] = [];
  let isDown = false;
  const lost = (): RinglabError => new RinglabError('connection_lost', {});
  const run = (script: string): Promise<ExecResult> =>
    new Promise((done) => {
      const env = { PATH: `${path}:/usr/bin:/bin` };
      const child = execFile('sh', ['-c', script], { env }, (_, stdout, stderr) =>
        done({ code: child.exitCode, signal: null, stdout, stderr }),
      );
    });
  // Of a session the launcher executes commands alone.
  const session = {
    async exec(script: string) {
      const result = run(script);
      scripts.push(result);
      if (!script.includes('sbatch --parsable')) return await result;
      while (!isThere('asked')) await clock.sleep(5);
      isDown = true;
      throw lost();
    },
  } as SshSession;
  const reaches = (): Promise<SshSession> => (isDown ? Promise.reject(lost()) : Promise.resolve(session));
  const closing = new AbortController();
  const controller = createSlurmController(clock);
  const slurm = newSlurmTarget();
  const left = createLeftJobs({
    ...{ cluster: 'login', controller, clock, settings: defaultSettings },
    ...{ session: reaches, closing: closing.signal },
  });
  const launcher = createSlurmLauncher({
    ...{ lab: clusterLab(slurm), slurm, clock, controller, left },
    ...{ session: reaches, bootIdFile: '/proc/boot', timeout: 1000 },
  });
  const directory = join(folder, 'r/rank-0');
  const order = { nodeId: 'a', label: 'rank-0', directory, argv: [], env: {}, attempt: 1 };
  return {
    launcher,
    directory,
    mend: () => (isDown = false),
    /** The controller answers `sbatch`. */
    takes: () => writeFile(join(folder, 'go'), ''),
    start: () =>
      launcher.startAll([{ ranks: [order], beside: [] }], {
        started: () => Promise.resolve(),
        without: () => undefined,
      }),
    async close() {
      closing.abort();
      await Promise.all(scripts);
    },
  };
}

it('a job whose submission was cut off is cancelled as soon as the link is back and sbatch has ended', async () => {
  const app = ringlab();
  await expect(app.start()).rejects.toMatchObject({ code: 'connection_lost' });
  app.mend();
  // The lock is still held.
  await new Promise((done) => setTimeout(done, 300));
  expect(isThere('cancelled')).toBe(false);
  await app.takes();
  await expect.poll(cancelled).toEqual([expect.stringMatching(/--name=ringlab-r-1$/)]);
  expect(isThere('taken')).toBe(true);
  await app.close();
});

it('the cancelling is tried again while Slurm does not answer', async () => {
  const silence = `echo 'scancel: error: Unable to contact slurm controller (connect failure)' >&2; exit 1`;
  const app = ringlab(`[ "$(wc -l <${folder}/cancelled)" -ge 3 ] || { ${silence}; }`);
  await app.takes();
  await expect(app.start()).rejects.toMatchObject({ code: 'connection_lost' });
  app.mend();
  await expect.poll(async () => (await cancelled()).length).toBe(3);
  await app.close();
});

it('an app that closes leaves it to the next start, or to the deletion, which cancels the jobs of all attempts', async () => {
  const app = ringlab();
  await expect(app.start()).rejects.toMatchObject({ code: 'connection_lost' });
  await app.takes();
  await app.close();
  app.mend();
  await writeFile(join(folder, 'r/job-2.asked'), '');
  await writeFile(join(folder, 'r/job-2'), '8\n');
  await app.launcher.abandon?.(app.directory);
  expect((await cancelled()).map((line) => line.split('--name=')[1]).sort()).toEqual([
    'ringlab-r-1',
    'ringlab-r-2',
  ]);
  await rm(join(folder, 'r'), { recursive: true });
  await app.launcher.abandon?.(app.directory);
  expect(await cancelled()).toHaveLength(2);
});

it('a run is not deleted while Slurm does not answer', async () => {
  const app = ringlab(
    'sleep 0.1; echo "scancel: error: Socket timed out on send/recv operation" >&2; exit 1',
  );
  await writeFile(join(folder, 'r/job-1.asked'), '');
  await expect(app.launcher.abandon?.(app.directory)).rejects.toMatchObject({
    code: 'command_failed',
    params: { command: 'scancel' },
  });
});
