/** Full test: runs of the real trainer as jobs of a real Slurm cluster, raised on this machine. */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SlurmTarget } from '../../../../shared/lab/where.ts';
import { noCluster, raiseCluster, type SlurmCluster } from './testing/cluster.ts';
import { openOnCluster, slurmLab } from './testing/slurm-lab.ts';
import { runsToItsEnd, stopsAndResumes } from '../testing/cluster-lab.ts';
import { trainerIsBuilt, type RealBench } from '../../testing/real-services.ts';
import { counting, linesOf, stepsOf } from '../../testing/stored-lines.ts';

let cluster: SlurmCluster;
let bench: RealBench;

const open = async (change: Partial<SlurmTarget> = {}, epochs = 2): Promise<RealBench> =>
  (bench = await openOnCluster(cluster, slurmLab(cluster, change, epochs)));
const queue = async (): Promise<string> => (await cluster.asUser("squeue -h -a -o '%A %T %r'")).trim();

const works = noCluster === undefined && trainerIsBuilt;
describe.skipIf(!works)(
  `a lab on a Slurm cluster${works ? '' : ` (skipped: ${noCluster ?? 'no trainer'})`}`,
  () => {
    beforeAll(async () => {
      cluster = await raiseCluster({ nodes: 3 });
    });
    afterEach(async () => {
      await bench.close();
      await cluster.emptyQueue();
    });
    afterAll(async () => await cluster.close());

    it(
      'runs to its end, and every rank’s lines and the monitors’ are stored',
      { timeout: 300_000 },
      async () => {
        await open();
        const runId = await runsToItsEnd(bench);
        expect((await bench.app.runs.get(runId)).job).toMatchObject({ waits: false });
        const secrets = await cluster.asUser('find .ringlab/runs -name "secret*"');
        expect(secrets).toBe('');
        expect(bench.app.problems).toEqual([]);
      },
    );

    it(
      'trains in another shared folder where the compute nodes do not have the login node’s home',
      { timeout: 300_000 },
      async () => {
        const folder = '/home/scratch/student';
        const here = join(cluster.sshd.home, '..', 'scratch');
        await mkdir(here);
        await chmod(here, 0o1777);
        const nodes = cluster.nodes.map(cluster.machine);
        for (const node of nodes) await node.sh('mount -t tmpfs tmpfs /home/student');
        try {
          await open({ folder });
          const { runId } = await bench.app.runs.start(bench.lab);
          const run = await bench.until(runId, 'finished');
          expect(run).toMatchObject({ epochsCompleted: 2, step: 6 });
          expect(run.ranks[0]?.directory).toBe(`${folder}/.ringlab/runs/${runId}/rank-0`);
          expect(stepsOf(await linesOf(bench.app.store, runId, 'rank-2'))).toEqual(counting(6));
          expect(bench.app.problems).toEqual([]);
        } finally {
          for (const node of nodes) await node.sh('umount -l /home/student');
        }
      },
    );

    it(
      'is stopped with a checkpoint and resumed, and the app restarts meanwhile: one curve',
      { timeout: 300_000 },
      async () => {
        await open({}, 4);
        await stopsAndResumes(bench, async () => await expect.poll(queue).toBe(''));
      },
    );

    it(
      'waits in the queue with the scheduler’s reason, and leaves it when it is stopped',
      { timeout: 300_000 },
      async () => {
        await cluster.fillQueue();
        await open();
        const { runId } = await bench.app.runs.start(bench.lab);
        const waiting = await bench.until(
          runId,
          ({ job }) => job?.waits === true && job.reason !== undefined,
        );
        expect(waiting).toMatchObject({ state: 'starting', job: { state: 'PENDING' } });
        expect(waiting.job?.reason).toMatch(/^(Resources|Priority)$/);
        await bench.app.runs.stop(runId);
        await bench.until(runId, 'stopped');
        await expect.poll(() => cluster.asUser('squeue -h -u student')).toBe('');
      },
    );

    it(
      'runs to its end on nodes that are drawn unlike, each rank in its place',
      { timeout: 300_000 },
      async () => {
        const lab = slurmLab(cluster);
        for (const node of lab.nodes) if (node.id !== 'b') node.placement.cpus = 2;
        bench = await openOnCluster(cluster, lab);
        const runId = await runsToItsEnd(bench);
        expect((await bench.app.runs.get(runId)).job).toMatchObject({ waits: false });
        expect(bench.app.problems).toEqual([]);
      },
    );

    it(
      'is seen, stopped and resumed in a partition that the cluster hides',
      { timeout: 300_000 },
      async () => {
        await open({ partition: 'hidden' }, 4);
        await stopsAndResumes(bench, async () => await expect.poll(queue).toBe(''));
      },
    );

    it('says which partition does not exist before anything is installed', { timeout: 120_000 }, async () => {
      await open({ partition: 'gpu_big' });
      const { runId } = await bench.app.runs.start(bench.lab);
      await expect(bench.until(runId, 'finished')).rejects.toThrow('the run is failed');
      const { error } = await bench.app.runs.get(runId);
      expect(error).toMatchObject({ code: 'job_refused' });
      expect(error?.params.reason).toMatch(/invalid partition/i);
    });

    it(
      'a job that is cancelled from outside interrupts the run, which can be resumed',
      { timeout: 300_000 },
      async () => {
        await open({}, 200);
        const { runId } = await bench.app.runs.start(bench.lab);
        const running = await bench.until(runId, (run) => run.step >= 2);
        await cluster.asUser(`scancel ${running.job?.id ?? ''}`);
        await expect(bench.until(runId, 'finished')).rejects.toThrow('the run is interrupted');
        const run = await bench.app.runs.get(runId);
        expect(run.error).toMatchObject({ code: 'job_ended', params: { job: running.job?.id } });
      },
    );

    it('goes on while the controller restarts', { timeout: 300_000 }, async () => {
      await open({}, 20);
      const { runId } = await bench.app.runs.start(bench.lab);
      await bench.until(runId, (run) => run.step >= 2);
      await cluster.stopController();
      const before = (await bench.app.runs.get(runId)).step;
      await bench.until(runId, (run) => run.step > before + 6 || run.state === 'finished');
      await cluster.startController();
      await bench.until(runId, 'finished');
    });

    it('a time limit saves, requeues and continues: one run, one curve', { timeout: 600_000 }, async () => {
      await open({ timeLimitMinutes: 2, requeue: true }, 2000);
      const { runId } = await bench.app.runs.start(bench.lab);
      const first = await bench.until(runId, ({ step, job }) => step >= 2 && job?.waits === false);
      await bench.until(runId, (run) => run.job?.waits === true, 180);
      const again = await bench.until(
        runId,
        (run) => run.job?.waits === false && run.job.state === 'RUNNING',
        300,
      );
      expect(again.job?.id).toBe(first.job?.id);
      const { step } = again;
      await bench.until(runId, (run) => run.step > step + 3, 200);
      await bench.app.runs.stop(runId);
      const stopped = await bench.until(runId, 'stopped');
      expect(stopped.attempt).toBe(1);
      const steps = stepsOf(await linesOf(bench.app.store, runId, 'rank-0'));
      expect(new Set(steps).size).toBe(Math.max(...steps) + 1);
    });

    // The last one: the node stays away.
    it('a node that fails ends the job, and the run says so', { timeout: 300_000 }, async () => {
      await open({}, 2000);
      const { runId } = await bench.app.runs.start(bench.lab);
      await bench.until(runId, (run) => run.step >= 2);
      await cluster.killNode('node2');
      await expect(bench.until(runId, 'finished')).rejects.toThrow(/the run is (interrupted|failed)/);
      const run = await bench.app.runs.get(runId);
      expect(run.error?.code).toBe('job_ended');
    });
  },
);
