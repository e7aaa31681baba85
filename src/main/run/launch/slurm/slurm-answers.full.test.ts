/** Full test: what a real Slurm with accounting answers, read by the app's parsers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSlurmTarget, type SlurmTarget } from '../../../../shared/lab/where.ts';
import type { FolderTrial } from '../../../../shared/node/slurm-facts.ts';
import { targetOf, testPool } from '../../../ssh/testing/pool.ts';
import { noAccounting, raiseCluster, type SlurmCluster } from './testing/cluster.ts';
import { factsScript, parseFacts } from './facts-answer.ts';
import { trialOf, trialScript, trialTimeoutMs } from './folder-trial.ts';
import { accountingCommand, parseJobs, queueCommand } from './job-answers.ts';

const reason = noAccounting === undefined ? '' : ` (skipped: ${noAccounting})`;

describe.skipIf(noAccounting !== undefined)(`the answers of a real Slurm${reason}`, () => {
  let cluster: SlurmCluster;
  beforeAll(async () => {
    cluster = await raiseCluster({ nodes: 2, accounting: true });
  });
  afterAll(async () => await cluster.close());

  it('are its partitions, nodes, GPUs, the user’s account and its QOS with their limits', async () => {
    const facts = parseFacts(await cluster.asUser(factsScript));
    expect(facts.version).toMatch(/^\d+\.\d+/);
    expect(
      facts.partitions.map(({ name, isDefault, isUp, maxMinutes }) => [name, isDefault, isUp, maxMinutes]),
    ).toEqual(
      expect.arrayContaining([
        ['main', true, true, 60],
        ['short', false, true, 1],
        ['urgent', false, true, 60],
      ]),
    );
    expect(facts.partitions.find(({ name }) => name === 'main')).toMatchObject({
      defaultMinutes: 10,
      nodes: [{ count: 2, idle: 2, cpus: 4, memoryMb: 4000, gpus: [{ type: 'a100', count: 2 }] }],
    });
    expect(facts.accounts).toMatchObject([{ name: 'lab', defaultQos: 'normal' }]);
    expect(facts.accounts?.[0]?.qos.toSorted()).toEqual(['normal', 'one-gpu', 'two-jobs']);
    expect(facts.qos).toEqual(
      expect.arrayContaining([
        { name: 'two-jobs', maxSubmit: 2 },
        { name: 'one-gpu', maxOfUser: 'gres/gpu=1' },
      ]),
    );
    expect(facts.home?.free).toBeGreaterThan(0);
  });

  it('say whether a compute node sees the home folder, by a short job', async () => {
    const tried = async (change: Partial<SlurmTarget> = {}): Promise<FolderTrial> => {
      const test = await testPool();
      try {
        const target = targetOf(cluster.sshd, { pinnedHostKey: cluster.sshd.hostKeyBase64 });
        const session = await test.pool.session(target);
        return trialOf(
          await session.exec(trialScript({ ...newSlurmTarget(), ...change }, false), {
            timeoutMs: trialTimeoutMs,
          }),
          'login',
        );
      } finally {
        await test.close();
      }
    };
    const folder = '/home/student/.ringlab';
    expect(await tried()).toEqual({ state: 'shared', node: 'node1', folder });
    for (const node of ['node1', 'node2'])
      await cluster.machine(node).sh('mount -t tmpfs tmpfs /home/student');
    expect(await tried()).toEqual({ state: 'apart', node: 'node1', folder });
    for (const node of ['node1', 'node2']) await cluster.machine(node).sh('umount -l /home/student');
    await expect(tried({ partition: 'gpu_big' })).rejects.toMatchObject({ code: 'job_refused' });
    await cluster.fillQueue();
    expect(await tried()).toEqual({ state: 'busy', seconds: 30 });
    await cluster.emptyQueue();
    expect(await cluster.asUser('ls -A .ringlab')).toBe('');
  }, 180_000);

  it('are the same jobs as lines and as JSON, in the queue and in the accounting', async () => {
    const running = (await cluster.asUser('sbatch --parsable -o /dev/null --wrap "sleep 600"')).trim();
    const held = (await cluster.asUser('sbatch --parsable --hold -o /dev/null --wrap "sleep 600"')).trim();
    await expect.poll(() => cluster.asUser(`squeue -h -j ${running} -o %T`)).toBe('RUNNING\n');
    const lines = parseJobs(await cluster.asUser(queueCommand('lines')));
    // This version's JSON has the jobs of all users; nobody else has one.
    const json = parseJobs(await cluster.asUser('squeue --json'));
    expect(lines?.get(running)).toMatchObject({ state: 'RUNNING', reason: '' });
    expect(lines?.get(held)).toMatchObject({ state: 'PENDING', reason: 'JobHeldUser' });
    for (const id of [running, held]) expect(json?.get(id)).toEqual(lines?.get(id));
    expect(parseJobs(await cluster.asUser(queueCommand('json')))).toEqual(lines);

    await cluster.emptyQueue();
    const recorded = async () => parseJobs(await cluster.asUser(accountingCommand([running, held], 'lines')));
    await expect.poll(async () => (await recorded())?.get(running)?.state).toBe('CANCELLED');
    const inJson = parseJobs(await cluster.asUser(`sacct --json --allocations --jobs=${running},${held}`));
    const known = await recorded();
    for (const id of [running, held]) expect(inJson?.get(id)?.state).toBe(known?.get(id)?.state);
    expect(inJson?.get(running)?.nodes).toBe(known?.get(running)?.nodes);
  });
});
