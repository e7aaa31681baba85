/** Full test: runs on a real Slurm cluster whose nodes share no folder: files go out by sbcast, and what the ranks write comes back. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import type { SlurmTarget } from '../../../../shared/lab/where.ts';
import { noCluster, raiseCluster, type SlurmCluster } from './testing/cluster.ts';
import { openOnCluster, slurmLab } from './testing/slurm-lab.ts';
import { runsToItsEnd, stopsAndResumes } from '../testing/cluster-lab.ts';
import { trainerIsBuilt, type RealBench } from '../../testing/real-services.ts';
import { runsScripts } from '../../testing/script-bench.ts';
import { counting, linesOf, stepsOf } from '../../testing/stored-lines.ts';

/** On each machine's own disk. */
const folder = '/srv/scratch/student';
let cluster: SlurmCluster;
let bench: RealBench;

const labOf = (change: Partial<SlurmTarget> = {}, epochs = 2): LabDocument =>
  slurmLab(cluster, { folder, nodeLocal: true, ...change }, epochs);
const open = async (lab: LabDocument): Promise<RealBench> => (bench = await openOnCluster(cluster, lab));
/** What is left below the folder on each compute node. */
const left = async (): Promise<string[]> =>
  await Promise.all(
    cluster.nodes.map(async (node) => (await cluster.machine(node).sh(`find ${folder} -mindepth 1`)).trim()),
  );

const works = noCluster === undefined && trainerIsBuilt;
describe.skipIf(!works)(
  `a Slurm cluster without a shared folder${works ? '' : ` (skipped: ${noCluster ?? 'no trainer'})`}`,
  () => {
    beforeAll(async () => {
      cluster = await raiseCluster({ nodes: 3 });
      for (const name of ['login', ...cluster.nodes])
        await cluster.machine(name).sh('mkdir -m 1777 /srv/scratch');
      for (const name of cluster.nodes) await cluster.machine(name).sh('umount -l /home');
    });
    afterEach(async () => {
      await bench.close();
      await cluster.emptyQueue();
    });
    afterAll(async () => await cluster.close());

    it(
      'runs to its end with every line stored, and leaves nothing on the nodes',
      { timeout: 300_000 },
      async () => {
        await open(labOf());
        await runsToItsEnd(bench);
        await expect.poll(left, { timeout: 60_000 }).toEqual(['', '', '']);
        expect(bench.app.problems).toEqual([]);
      },
    );

    it(
      'is stopped and resumed, and the app restarts meanwhile: one curve',
      { timeout: 300_000 },
      async () => {
        await open(labOf({}, 4));
        await stopsAndResumes(bench);
        await expect.poll(left, { timeout: 60_000 }).toEqual(['', '', '']);
      },
    );

    it('is stopped while its files are copied, and resumed', { timeout: 300_000 }, async () => {
      await open(labOf());
      const { runId } = await bench.app.runs.start(bench.lab);
      await expect
        .poll(() => cluster.asUser('squeue --noheader --format=%T'), { timeout: 60_000 })
        .toContain('RUNNING');
      await bench.app.runs.stop(runId);
      await bench.until(runId, 'stopped');
      await bench.app.runs.resume(runId);
      expect(await bench.until(runId, 'finished')).toMatchObject({ epochsCompleted: 2, step: 6 });
      await expect.poll(left, { timeout: 60_000 }).toEqual(['', '', '']);
    });

    it('trains on nodes that differ, as a job of parts', { timeout: 300_000 }, async () => {
      const lab = labOf();
      const [first] = lab.nodes;
      if (first?.kind === 'cpu') first.placement.cpus = 2;
      await open(lab);
      await runsToItsEnd(bench);
      await expect.poll(left, { timeout: 60_000 }).toEqual(['', '', '']);
    });

    it(
      'goes on where the login node kills what runs there, and no line is lost',
      { timeout: 300_000 },
      async () => {
        await open(labOf({}, 60));
        const { runId } = await bench.app.runs.start(bench.lab);
        await bench.until(runId, (run) => run.step >= 6);
        await cluster.machine('login').sh('pkill -9 -u student -f "[s]tage-1.sh"; pkill -9 -u student srun');
        await bench.until(runId, 'finished');
        for (const rank of [0, 1, 2])
          expect(stepsOf(await linesOf(bench.app.store, runId, `rank-${rank}`))).toEqual(counting(180));
      },
    );

    it(
      'needs no app: what was trained meanwhile is there when it returns',
      { timeout: 300_000 },
      async () => {
        await open(labOf({}, 40));
        const { runId } = await bench.app.runs.start(bench.lab);
        await bench.until(runId, (run) => run.step >= 2);
        await bench.restart(async () => {
          await expect
            .poll(() => cluster.asUser('squeue --noheader --user=student'), {
              timeout: 200_000,
              interval: 2000,
            })
            .toBe('');
        });
        const run = await bench.until(runId, 'finished');
        expect(run.epochsCompleted).toBe(40);
        expect(stepsOf(await linesOf(bench.app.store, runId, 'rank-1'))).toEqual(counting(120));
      },
    );

    it('a time limit saves, requeues and continues: one run, one curve', { timeout: 600_000 }, async () => {
      await open(labOf({ timeLimitMinutes: 2, requeue: true }, 2000));
      const { runId } = await bench.app.runs.start(bench.lab);
      await bench.until(runId, ({ step, job }) => step >= 2 && job?.waits === false);
      await bench.until(runId, (run) => run.job?.waits === true, 180);
      const again = await bench.until(
        runId,
        ({ job }) => job?.waits === false && job.state === 'RUNNING',
        300,
      );
      await bench.until(runId, (run) => run.step > again.step + 3, 200);
      await bench.app.runs.stop(runId);
      expect((await bench.until(runId, 'stopped')).attempt).toBe(1);
      const steps = stepsOf(await linesOf(bench.app.store, runId, 'rank-2'));
      expect(new Set(steps).size).toBe(Math.max(...steps) + 1);
    });

    it.skipIf(!runsScripts)(
      'an own script: its lines, and the files that it writes on the first node',
      { timeout: 300_000 },
      async () => {
        const lab = labOf();
        const folderHere = await mkdtemp(join(tmpdir(), 'ringlab-copies-'));
        onTestFinished(() => rm(folderHere, { recursive: true }));
        const path = join(folderHere, 'project');
        await mkdir(path);
        await writeFile(
          join(path, 'train.py'),
          [
            'import os, torch, torch.distributed as dist',
            'dist.init_process_group("gloo")',
            'total = torch.tensor([float(os.environ["RANK"])]); dist.all_reduce(total)',
            'for step in range(3): print(f"step {step} loss: {total.item():.4f}", flush=True)',
            'if dist.get_rank() == 0: torch.save(total, "sub folder/total.pt")',
            '',
          ].join('\n'),
        );
        await mkdir(join(path, 'sub folder'));
        await writeFile(join(path, 'sub folder', 'notes.txt'), '');
        lab.experiment = {
          ...lab.experiment,
          runtime: { type: 'system' },
          script: { source: { type: 'folder', path }, file: 'train.py', arguments: '' },
        };
        await open(lab);
        const { runId } = await bench.app.runs.start(bench.lab);
        const run = await bench.until(runId, 'finished');
        const scalars = (await linesOf(bench.app.store, runId, 'rank-2')).filter(
          ({ kind }) => kind === 'scalar',
        );
        expect(scalars.length).toBeGreaterThan(0);
        const home = run.ranks[0]?.directory.replace(/\/rank-0$/, '') ?? '';
        const size = await cluster.asUser(`stat -c %s '${home}/code/sub folder/total.pt'`);
        expect(Number(size)).toBeGreaterThan(100);
        await expect.poll(left, { timeout: 60_000 }).toEqual(['', '', '']);
      },
    );

    it('says which node has the folder from somebody else', { timeout: 300_000 }, async () => {
      const taken = '/srv/scratch/taken';
      await cluster.machine('node2').sh(`mkdir -m 777 ${taken}; chown 20002 ${taken}`);
      await open(labOf({ folder: taken }));
      const { runId } = await bench.app.runs.start(bench.lab);
      await expect(bench.until(runId, 'finished')).rejects.toThrow(/the run is (interrupted|failed)/);
      const { error } = await bench.app.runs.get(runId);
      expect(error).toMatchObject({ code: 'job_ended' });
      expect(JSON.stringify(error?.params.reason)).toContain(`${taken} on node2 is not yours`);
    });
  },
);
