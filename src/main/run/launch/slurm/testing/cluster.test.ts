import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../../../ssh/testing/processes.ts';
import { targetOf, testPool } from '../../../../ssh/testing/pool.ts';
import { factsScript, parseFacts } from '../facts-answer.ts';
import { parseJobs, queueCommand } from '../job-answers.ts';
import { stopScript } from '../stop-script.ts';
import { noCluster, raiseCluster, type SlurmCluster } from './cluster.ts';

const reason = noCluster === undefined ? '' : ` (skipped: ${noCluster})`;

describe.skipIf(noCluster !== undefined)(`a Slurm cluster on this machine${reason}`, () => {
  let cluster: SlurmCluster;
  beforeAll(async () => {
    cluster = await raiseCluster({ nodes: 2 });
  });
  afterAll(async () => await cluster.close());

  const stateOf = async (job: string): Promise<string> =>
    (await cluster.asUser(`squeue -h -a -t all -j ${job} -o '%T %r'`)).trim();

  it('runs a command on every node from the login node’s SSH server', async () => {
    const test = await testPool();
    const session = await test.pool.session(
      targetOf(cluster.sshd, { pinnedHostKey: cluster.sshd.hostKeyBase64 }),
    );
    const onEach = 'echo $(hostname) $(id -un) $CUDA_VISIBLE_DEVICES';
    expect(await session.run(`srun -N2 --gres=gpu:a100:1 sh -c '${onEach}' | sort`)).toBe(
      'node1 student 0\nnode2 student 0\n',
    );
    await test.close();
  });

  it('gives nodes processes and a /tmp of their own; all machines share the home folder', async () => {
    await cluster.asUser('echo hello >shared.txt');
    expect(await cluster.asUser('srun -N1 cat shared.txt')).toBe('hello\n');
    expect(await readFile(join(cluster.sshd.home, 'shared.txt'), 'utf8')).toBe('hello\n');
    await cluster.asUser('srun -w node1 touch /tmp/of-node1');
    expect(await cluster.asUser("srun -N2 sh -c 'ls -d /tmp/of-* 2>/dev/null | wc -l' | sort")).toBe(
      '0\n1\n',
    );
    const processes = await cluster.asUser('srun -w node2 ps -e -o comm=');
    expect(processes).toContain('slurmd');
    expect(processes).not.toMatch(/sshd|slurmctld/);
  });

  it('queues a batch job behind another user’s, and cancels it', async () => {
    await cluster.fillQueue();
    const job = (await cluster.asUser("sbatch --parsable --wrap 'sleep 600'")).trim();
    await expect.poll(() => stateOf(job)).toMatch(/^PENDING (Resources|Priority)$/);
    await cluster.asUser(`scancel ${job}`);
    await expect.poll(() => stateOf(job)).toMatch(/^CANCELLED/);
    await cluster.emptyQueue();
  });

  it('starts nothing on a drained node', async () => {
    await cluster.drain('node1', 'fan is broken');
    const job = (await cluster.asUser("sbatch --parsable -N2 -o /dev/null --wrap 'sleep 600'")).trim();
    await expect.poll(() => stateOf(job)).toContain('PENDING');
    expect(await cluster.asUser('sinfo -R -h -o %E')).toContain('fan is broken');
    await cluster.undrain('node1');
    await expect.poll(() => stateOf(job)).toContain('RUNNING');
    await cluster.emptyQueue();
  });

  it('is asked for jobs of hidden partitions, too', async () => {
    const job = (await cluster.asUser("sbatch --parsable -p hidden -o /dev/null --wrap 'sleep 600'")).trim();
    for (const form of ['lines', 'json'] as const)
      expect(parseJobs(await cluster.asUser(queueCommand(form)))?.get(job)).toBeDefined();
    await cluster.emptyQueue();
  });

  it('is asked for jobs whatever the user’s own variables filter', async () => {
    const job = (await cluster.asUser("sbatch --parsable --hold -o /dev/null --wrap 'sleep 600'")).trim();
    const filters = ['PARTITION=short', 'NAMES=mine', 'ACCOUNT=mine', 'QOS=mine', 'FORMAT2=jobid'];
    const exported = filters.map((one) => `export SQUEUE_${one}\n`).join('');
    expect(parseJobs(await cluster.asUser(`${exported}${queueCommand('lines')}`))?.get(job)).toBeDefined();
    const facts = parseFacts(await cluster.asUser(`export SINFO_PARTITION=short\n${factsScript}`));
    expect(facts.partitions.map(({ name }) => name)).toContain('main');
    await cluster.asUser(`export SCANCEL_PARTITION=short\n${stopScript(job, '/home/student')}`).catch(String);
    await expect.poll(() => stateOf(job)).toMatch(/^CANCELLED/);
    await cluster.emptyQueue();
  });

  it('refuses what its partitions do not permit', async () => {
    // 22.05 refuses it, 24.11 takes it and lets it wait.
    const closed = await cluster
      .asUser("sbatch --parsable -p closed -o /dev/null --wrap 'sleep 600'")
      .catch(String);
    if (/^\d+\s*$/.test(closed)) expect(await stateOf(closed.trim())).toMatch(/^PENDING/);
    else expect(closed).toContain('group not permitted');
    await expect(cluster.asUser('sbatch -p none --wrap hostname')).rejects.toThrow('invalid partition');
    await expect(cluster.asUser('sbatch --gres=gpu:h100:1 --wrap hostname')).rejects.toThrow('not available');
  });
});

describe.skipIf(noCluster !== undefined)(`two Slurm clusters side by side${reason}`, () => {
  it('leave nothing behind, not even the processes of a running job', async () => {
    const [first, second] = await Promise.all([raiseCluster({ nodes: 1 }), raiseCluster({ nodes: 1 })]);
    for (const cluster of [first, second]) {
      await cluster.asUser("sbatch -o /dev/null --wrap 'sleep 600'");
      await expect.poll(() => cluster.asUser('squeue -h -o "%T %i"')).toBe('RUNNING 1\n');
    }
    const machines = [first, second].flatMap((cluster) =>
      ['controller', 'login', 'node1'].map(cluster.machine),
    );
    const processes = machines.flatMap((one) => one.processes());
    expect(processes.length).toBeGreaterThan(12);
    const cables = [first.cable, second.cable];
    expect(Object.keys(networkInterfaces())).toEqual(expect.arrayContaining(cables));
    await Promise.all([first.close(), second.close()]);
    expect(processes.filter(isAlive)).toEqual([]);
    // Other tests' interfaces come and go meanwhile.
    expect(Object.keys(networkInterfaces()).filter((name) => cables.includes(name))).toEqual([]);
    expect(existsSync(dirname(dirname(first.sshd.home)))).toBe(false);
  });
});
