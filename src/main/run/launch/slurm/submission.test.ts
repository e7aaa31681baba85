/** How a job is submitted: the script by a real shell, with stand-ins for Slurm's commands that a test can make slow or silent. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { createSkippingClock } from '../../../base/testing/skipping-clock.ts';
import type { ExecResult } from '../../../ssh/index.ts';
import { createSubmission } from './submission.ts';

let folder: string;
let run: string;
/** Replaces what a command of Slurm's does. */
const command = async (name: string, text: string): Promise<void> => {
  const path = join(folder, 'bin', name);
  await writeFile(path, `#!/bin/sh\necho "${name} $*" >>${folder}/commands\n${text}\n`);
  await chmod(path, 0o755);
};
const commands = async (name: string): Promise<string[]> => {
  const text = await readFile(join(folder, 'commands'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line.startsWith(`${name} `));
};
/** As Slurm says it where its answer does not come. */
const silence = (job: string): string =>
  `${job}\necho 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1`;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-sbatch-'));
  run = join(folder, 'run');
  await mkdir(run);
  await mkdir(join(folder, 'bin'));
  await command('sbatch', 'echo 7');
  await command('squeue', `cat ${folder}/queue 2>/dev/null; exit 0`);
  await command('scancel', 'exit 0');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/**
 * @param broken by try, an error in place of an answer that arrives; the script runs all the same
 * @param lost resolves when the connection of the first try breaks, while its script still runs
 */
const submit = async (
  attempt = 1,
  broken: readonly RinglabError[] = [],
  lost?: () => Promise<unknown>,
  job = '#!/bin/sh\n',
): Promise<string> => {
  const left = [...broken];
  const scripts: Promise<ExecResult>[] = [];
  const exec = async (script: string): Promise<ExecResult> => {
    const env = { ...process.env, PATH: `${folder}/bin:${process.env.PATH ?? ''}` };
    const ended = new Promise<ExecResult>((resolve) => {
      const child = execFile('sh', ['-c', script], { env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode, signal: null, stdout, stderr }),
      );
    });
    scripts.push(ended);
    if (lost !== undefined && scripts.length === 1) {
      await lost();
      throw new RinglabError('connection_lost', {});
    }
    const result = await ended;
    const error = left.shift();
    if (error !== undefined) throw error;
    return result;
  };
  const submission = createSubmission({
    ...{ cluster: 'login', clock: createSkippingClock() },
    session: () => Promise.resolve({ exec }),
    after: () => '',
  });
  const order = { runFolder: run, runId: 'r', attempt, job, before: '' };
  try {
    return await submission.submit(order);
  } finally {
    await Promise.all(scripts);
  }
};
const appears = async (name: string): Promise<void> =>
  await expect.poll(() => existsSync(join(folder, name))).toBe(true);
/** Takes a job only once it is allowed to, as where the controller is busy. */
const busy = (job: string): string =>
  `: >${folder}/waits; for look in $(seq 80); do [ -e ${folder}/go ] || /bin/sleep 0.05; done; echo ${job} >>${folder}/queue; echo ${job}`;
/** The controller is busy until another script comes to the lock. */
const freeAtLock = async (): Promise<void> => {
  const flock = execFileSync('sh', ['-c', 'command -v flock'], { encoding: 'utf8' }).trim();
  await command('flock', `[ ! -e ${folder}/waits ] || : >${folder}/go\nexec ${flock} "$@"`);
};

describe('submitting a job', () => {
  it('is one sbatch, whose number is kept for the same attempt', async () => {
    expect(await submit()).toBe('7');
    expect(await submit()).toBe('7');
    expect(await commands('sbatch')).toHaveLength(1);
  });
  it('is what the lab says, whatever variables the user has for sbatch', async () => {
    await command('sbatch', `env | sed -n 's/^SBATCH_//p' >${folder}/variables; echo 7`);
    const mine = {
      SBATCH_WAIT: '1',
      SBATCH_JOB_NAME: 'mine',
      SBATCH_PARTITION: 'gpu',
      SBATCH_ACCOUNT: 'mine',
    };
    for (const [name, value] of Object.entries(mine)) vi.stubEnv(name, value);
    expect(await submit(1, [], undefined, '#!/bin/sh\n#SBATCH --partition=cpu\n')).toBe('7');
    expect(await readFile(join(folder, 'variables'), 'utf8')).toBe('ACCOUNT=mine\n');
  });
  it('gives the ranks’ own srun no options of the user’s, but for those that say where the cluster is and how it starts a process', async () => {
    await command('sbatch', `env | grep SLURM_ | sort >${folder}/variables; echo 7`);
    const mine = {
      MY_SLURM_X: '1',
      SLURM_CONF: '/opt/slurm.conf',
      SLURM_CPU_BIND: 'none',
      SLURM_STDOUTMODE: '/dev/null',
      SLURM_TIMELIMIT: '1',
    };
    for (const [name, value] of Object.entries(mine)) vi.stubEnv(name, value);
    expect(await submit()).toBe('7');
    expect(await readFile(join(folder, 'variables'), 'utf8')).toBe(
      'MY_SLURM_X=1\nSLURM_CONF=/opt/slurm.conf\nSLURM_CPU_BIND=none\n',
    );
  });
  it('finds the number below what a site’s own sbatch says, and before the cluster’s name', async () => {
    await command('sbatch', `printf 'Welcome\\n--> Verifying 2 nodes...OK\\n2026\\n7;main\\n'`);
    expect(await submit()).toBe('7');
    expect(await readFile(join(run, 'job-1'), 'utf8')).toBe('7\n');
  });
  it('finds a job that the controller took without an answer, by its name', async () => {
    await command('sbatch', silence(`printf '12\\n9\\n' >${folder}/queue`));
    expect(await submit()).toBe('9');
    expect(await commands('sbatch')).toHaveLength(1);
    expect(await commands('squeue')).toHaveLength(1);
  });
  it('submits again only where the queue answers that there is none', async () => {
    await command('sbatch', silence(''));
    // The second look at the queue is answered.
    await command('squeue', `[ -e ${folder}/asked ] || { : >${folder}/asked; exit 1; }`);
    await expect(submit()).rejects.toMatchObject({
      code: 'job_refused',
      params: { reason: 'Batch job submission failed: Socket timed out on send/recv operation' },
    });
    expect((await commands('squeue')).length).toBeGreaterThan(1);
    expect((await commands('sbatch')).length).toBe((await commands('squeue')).length);
  });
  it('looks for it after a broken connection and a command that takes too long', async () => {
    await command('sbatch', `echo 8 >${folder}/queue; echo 8`);
    await rm(join(run, 'job-1'), { force: true });
    const broken = [
      new RinglabError('connection_lost', {}),
      new RinglabError('jump_failed', {}, { cause: new RinglabError('connection_lost', {}) }),
      new RinglabError('command_timeout', { seconds: 90, command: 'sbatch' }),
    ];
    expect(await submit(1, broken)).toBe('8');
    expect(await commands('sbatch')).toHaveLength(1);
  });
  it('waits for the sbatch of a try whose connection broke', async () => {
    await command('sbatch', busy('12'));
    await freeAtLock();
    expect(await submit(1, [], async () => await appears('waits'))).toBe('12');
    expect(await commands('sbatch')).toHaveLength(1);
  });
  it('waits as long as that may take where the file system has no locks', async () => {
    await command('sbatch', busy('12'));
    await command('flock', 'echo "flock: 9: Function not implemented" >&2; exit 65');
    // The time passes at once, and the first sbatch ends within it.
    await command('sleep', `: >${folder}/go; until [ -s ${run}/job-1 ]; do /bin/sleep 0.05; done`);
    expect(await submit(1, [], async () => await appears('waits'))).toBe('12');
    expect(await commands('sbatch')).toHaveLength(1);
    expect(await commands('sleep')).toHaveLength(1);
  });
  it('says that an earlier sbatch has not ended where it never does', async () => {
    await command('timeout', 'shift; [ "$1" != flock ] || exit 124; exec "$@"');
    await writeFile(join(run, 'job-1.asked'), '');
    await expect(submit()).rejects.toMatchObject({
      code: 'job_refused',
      params: { reason: 'an earlier sbatch of this run has not ended' },
    });
    expect(await commands('sbatch')).toEqual([]);
  });
  it('does not wait for an earlier one where there is none and the lock does not answer', async () => {
    await command('timeout', 'shift; [ "$1" != flock ] || exit 124; exec "$@"');
    await command('sbatch', 'echo 14');
    expect(await submit()).toBe('14');
  });
  it('says at once why Slurm refuses, and may be tried again', async () => {
    await command('sbatch', `echo 'sbatch: error: invalid partition specified: gpu' >&2; exit 1`);
    await expect(submit()).rejects.toMatchObject({
      code: 'job_refused',
      params: { reason: 'invalid partition specified: gpu' },
    });
    expect(await commands('sbatch')).toHaveLength(1);
    await command('sbatch', 'echo 10');
    expect(await submit()).toBe('10');
    expect(await commands('squeue')).toEqual([]);
  });
  it('cancels a job of an earlier attempt whose number never arrived', async () => {
    await command('sbatch', silence(''));
    await expect(submit(1)).rejects.toMatchObject({ code: 'job_refused' });
    await command('sbatch', 'echo 11');
    expect(await submit(2)).toBe('11');
    const cancelled = await commands('scancel');
    expect(cancelled).toHaveLength(1);
    expect(cancelled[0]).toMatch(/--name=ringlab-r-1$/);
  });
  it('cancels the jobs of all earlier attempts, as a number may never have reached the app, and one that has its number once', async () => {
    await command('sbatch', silence(''));
    await expect(submit(1)).rejects.toMatchObject({ code: 'job_refused' });
    await command('sbatch', 'echo 11');
    await submit(2);
    await rm(join(folder, 'commands'));
    const names = async (): Promise<(string | undefined)[]> =>
      (await commands('scancel')).map((line) => line.split('--name=')[1]).sort();
    expect(await submit(3)).toBe('11');
    expect(await names()).toEqual(['ringlab-r-1', 'ringlab-r-2']);
    await rm(join(folder, 'commands'));
    expect(await submit(4)).toBe('11');
    expect(await names()).toEqual(['ringlab-r-1', 'ringlab-r-3']);
  });
  it('submits no other where it cannot cancel an earlier one', async () => {
    await submit(1);
    await command('scancel', `echo 'scancel: error: Unable to contact slurm controller' >&2; exit 1`);
    await expect(submit(2)).rejects.toMatchObject({ code: 'job_refused' });
    expect(await commands('sbatch')).toHaveLength(1);
  });
  it('cancels the job that an earlier attempt was still submitting when this one began', async () => {
    await command('scancel', `cat ${folder}/queue >${folder}/cancelled`);
    await command('sbatch', `case "$*" in *job-1.sh*) ${busy('12')} ;; *) echo 13 ;; esac`);
    const first = submit(1);
    await appears('waits');
    await freeAtLock();
    expect(await submit(2)).toBe('13');
    expect(await first).toBe('12');
    expect(await commands('scancel')).toEqual([expect.stringMatching(/--name=ringlab-r-1$/)]);
    expect(await readFile(join(folder, 'cancelled'), 'utf8')).toBe('12\n');
  });
});
