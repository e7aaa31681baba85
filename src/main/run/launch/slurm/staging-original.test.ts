/** A job with copied files whose compute node is the login node itself, or shares its folder after all: by real shells, with stand-ins for Slurm's commands. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { jobScript } from '../../../../shared/lab/slurm-script.ts';
import { newSlurmTarget } from '../../../../shared/lab/where.ts';
import { stagingOf } from './staging-orders.ts';
import { allowStaging, stagingScript } from './staging-script.ts';

let root: string;
/** Stands for a home on every machine. */
let folder: string;
let run: string;
let env: NodeJS.ProcessEnv;
let staging: ChildProcess | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ringlab-original-'));
  folder = join(root, 'scratch');
  run = join(folder, '.ringlab/runs/r1');
  await mkdir(join(run, 'rank-0'), { recursive: true });
  await mkdir(join(folder, '.ringlab/trainers/t1'), { recursive: true });
  await writeFile(join(folder, '.ringlab/trainers/t1/ringlab-train'), 'a trainer');
  const bin = join(root, 'bin');
  await mkdir(bin);
  const command = async (name: string, text: string): Promise<void> => {
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(bin, name), 0o755);
  };
  await command('sbcast', 'while [ $# -gt 2 ]; do shift; done; cp -f "$1" "$2"');
  await command(
    'squeue',
    `[ -e ${root}/runs ] || exit 0\ncase "$*" in *%N*) echo "7 one" ;; *) echo RUNNING ;; esac`,
  );
  await command(
    'scontrol',
    'case "$*" in *hostnames*) echo one ;; *) echo "NodeName=one Arch=x NodeAddr=127.0.0.1 x" ;; esac',
  );
  await command('scancel', `echo "$*" >>${root}/cancelled`);
  await command(
    'srun',
    'while [ "$1" != sh ]; do case $1 in --chdir=*) cd "${1#--chdir=}" ;; esac; shift; done\nexport SLURM_PROCID=0 SLURM_JOB_ID=7\nexec "$@"',
  );
  env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    SLURM_JOB_ID: '7',
    SLURM_SUBMIT_DIR: run,
  };
  env.SLURM_JOB_NODELIST = 'one';
});
afterEach(async () => {
  staging?.kill('SIGKILL');
  await rm(root, { recursive: true, force: true });
});

it('keeps the run and all of Ringlab’s folder: nothing is copied or removed there', async () => {
  const slurm = { ...newSlurmTarget(), folder, nodeLocal: true };
  const part = { nodes: 1, tasksPerNode: 1, cpusPerTask: 1, memoryMb: 100, gpus: 0 };
  const job = jobScript({ slurm, parts: [part], name: 'ringlab-r1-1', attempt: 1, port: 29_500 });
  const order = {
    ...{ nodeId: 'a', label: 'rank-0', directory: join(run, 'rank-0'), attempt: 1, env: {} },
    argv: [join(folder, '.ringlab/trainers/t1/ringlab-train')],
  };
  await writeFile(
    join(run, 'stage-1.sh'),
    stagingScript(stagingOf(folder, run, 1, [{ ranks: [order], beside: [] }])),
  );
  await writeFile(
    join(run, 'rank-0/task.sh'),
    `cd ${run}/rank-0\necho '{"seq":1}' >metrics.jsonl\necho weights >checkpoint.pth.tar\n` +
      `printf '{"code":0,"signal":null,"t":1,"attempt":1}\\n' >exit.json\n`,
  );
  const text = { env, stdio: 'ignore' } as const;
  await once(spawn('sh', ['-c', allowStaging(1)], { ...text, cwd: run }), 'close');
  await writeFile(join(root, 'runs'), '');
  // As the app says while it looks; the controller is asked every 30 s.
  await writeFile(join(run, '.stage-1.state'), 'runs\n');
  staging = spawn('sh', [join(run, 'stage-1.sh'), '7'], text);
  expect(await once(spawn('sh', ['-c', job], text), 'close')).toEqual([0, null]);
  expect(await readFile(join(run, 'rank-0/checkpoint.pth.tar'), 'utf8')).toBe('weights\n');
  expect(await readFile(join(run, 'rank-0/metrics.jsonl'), 'utf8')).toBe('{"seq":1}\n');
  expect(await readdir(join(folder, '.ringlab/trainers/t1'))).toEqual(['ringlab-train']);
  expect(await readdir(root)).not.toContain('cancelled');

  // The staging process ends with the run's folder.
  await rm(run, { recursive: true });
  if (staging.exitCode === null) await once(staging, 'close');
});
