/** What a cluster can do to a job, and what takes Slurm a minute or more; its quick test has what takes seconds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { descendantsOf, isAlive } from '../../../../ssh/testing/processes.ts';
import { noAccounting, raiseCluster, type SlurmCluster } from './cluster.ts';

describe.skipIf(noAccounting !== undefined)(
  `a Slurm cluster with accounting${noAccounting === undefined ? '' : ` (skipped: ${noAccounting})`}`,
  () => {
    let cluster: SlurmCluster;
    beforeAll(async () => {
      cluster = await raiseCluster({ nodes: 4, accounting: true });
    });
    afterAll(async () => await cluster.close());

    const submit = async (options: string, script: string): Promise<string> =>
      (await cluster.asUser(`sbatch --parsable ${options} --wrap '${script}'`)).trim();
    const queued = async (job: string): Promise<string> =>
      (await cluster.asUser(`squeue -h -t all -j ${job} -o '%T %r'`)).trim();
    const recorded = async (job: string): Promise<string> =>
      (await cluster.asUser(`sacct -n -X -P -D -j ${job} -o State`)).trim().replaceAll('\n', ' ');

    it('runs a task on each of four nodes and records the job in its account', async () => {
      const job = await submit('-N4 -o four.txt', 'srun hostname');
      await expect.poll(() => recorded(job)).toBe('COMPLETED');
      const names = await readFile(join(cluster.sshd.home, 'four.txt'), 'utf8');
      expect(names.trim().split('\n').toSorted()).toEqual(['node1', 'node2', 'node3', 'node4']);
      expect(await cluster.asUser(`sacct -n -X -P -j ${job} -o Account,NNodes`)).toBe('lab|4\n');
    });

    it('keeps running and queued jobs while its controller is down', async () => {
      const running = await submit('-N4 --exclusive -o /dev/null', 'sleep 600');
      await expect.poll(() => queued(running)).toContain('RUNNING');
      const waiting = await submit('-o /dev/null', 'sleep 600');
      await cluster.stopController();
      await expect(cluster.asUser('squeue')).rejects.toThrow('Unable to contact slurm controller');
      await cluster.startController();
      expect(await queued(running)).toContain('RUNNING');
      expect(await queued(waiting)).toContain('PENDING');
      await cluster.emptyQueue();
    });

    it('signals a job before its time limit and ends it there', async () => {
      const script = 'trap "echo warned" USR1; for i in $(seq 600); do sleep 1; done';
      const job = await submit('-p short --signal=B:USR1@30 -o limit.txt', script);
      await expect.poll(() => recorded(job), { timeout: 240_000 }).toBe('TIMEOUT');
      expect(await readFile(join(cluster.sshd.home, 'limit.txt'), 'utf8')).toContain('warned');
    }, 300_000);

    it('fails a job whose node loses its power, or queues it again; the node comes back', async () => {
      const once = await submit('-w node2 --no-requeue -o /dev/null', 'sleep 600');
      const again = await submit('-w node2 --requeue -o /dev/null', 'sleep 600');
      await expect
        .poll(async () => [await queued(once), await queued(again)])
        .toEqual(['RUNNING None', 'RUNNING None']);
      await cluster.killNode('node2');
      await expect.poll(() => recorded(once), { timeout: 100_000 }).toBe('NODE_FAIL');
      expect(await queued(again)).toContain('PENDING');
      await cluster.bootNode('node2');
      // A job that is queued again may not start for two minutes.
      await expect.poll(() => recorded(again)).toBe('NODE_FAIL PENDING');
      await cluster.emptyQueue();
    });

    it('displaces a job for one of a partition with priority', async () => {
      const job = await submit('-N4 --exclusive -o /dev/null', 'sleep 600');
      await expect.poll(() => queued(job)).toContain('RUNNING');
      const urgent = await submit('-p urgent -N4 --exclusive -o /dev/null', 'sleep 600');
      await expect.poll(() => queued(urgent)).toContain('RUNNING');
      await expect.poll(() => recorded(job)).toBe('PREEMPTED PENDING');
      await cluster.emptyQueue();
    });

    it('refuses an unknown account and a job too many, and lets one wait that wants too many GPUs', async () => {
      await expect(submit('-A nobody', 'true')).rejects.toThrow('Invalid account');
      const options = '-q two-jobs -o /dev/null';
      await submit(options, 'sleep 600');
      await submit(options, 'sleep 600');
      await expect(submit(options, 'sleep 600')).rejects.toThrow('QOSMaxSubmitJobPerUserLimit');
      const job = await submit('-q one-gpu --gres=gpu:2 -o /dev/null', 'sleep 600');
      await expect.poll(() => queued(job)).toBe('PENDING QOSMaxGRESPerUser');
      await cluster.emptyQueue();
    });

    it('ends with the process that raised it, even if that is killed', async () => {
      const raiser = spawn(process.execPath, [join(import.meta.dirname, 'raise.ts'), '1'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(raiser.stdout, 'data');
      const processes = descendantsOf(raiser.pid ?? -1);
      expect(processes.length).toBeGreaterThan(10);
      raiser.kill('SIGKILL');
      await expect.poll(() => processes.filter(isAlive)).toEqual([]);
    });
  },
);
