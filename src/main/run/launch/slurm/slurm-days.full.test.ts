/** Full test: the bad days of a run on a real Slurm with accounting: what a user sees, and what is never lost. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { languages } from '../../../../shared/base/language.ts';
import type { Phrase } from '../../../../shared/base/phrase.ts';
import { describeError } from '../../../../shared/i18n/error-texts.ts';
import { jobWords } from '../../../../shared/run/job-words.ts';
import { isEnded, type RunRecord } from '../../../../shared/run/run.ts';
import type { SlurmTarget } from '../../../../shared/lab/where.ts';
import { phrase } from '../../../i18n/index.ts';
import { trainerIsBuilt, type RealBench } from '../../testing/real-services.ts';
import { counting, linesOf, stepsOf } from '../../testing/stored-lines.ts';
import { noAccounting, raiseCluster, type SlurmCluster } from './testing/cluster.ts';
import { slurmLab, openOnCluster } from './testing/slurm-lab.ts';

const execute = promisify(execFile);

/** Seconds that the login node is away. */
const outage = Number(process.env.RINGLAB_OUTAGE_SECONDS ?? 600);

let cluster: SlurmCluster;
let bench: RealBench;
const open = async (change: Partial<SlurmTarget> = {}, epochs = 2000): Promise<RealBench> =>
  (bench = await openOnCluster(cluster, slurmLab(cluster, change, epochs)));
const start = async (): Promise<string> => (await bench.app.runs.start(bench.lab)).runId;
/** Waits for the run's end, and says at once where it is another. */
const ended = async (runId: string, state: RunRecord['state']): Promise<RunRecord> => {
  const now = async (): Promise<RunRecord> => await bench.app.runs.get(runId);
  await expect.poll(async () => isEnded((await now()).state), { timeout: 240_000 }).toBe(true);
  const run = await now();
  expect(run.state, JSON.stringify([run.error, run.ranks.map(({ error, exit }) => [error, exit])])).toBe(
    state,
  );
  return run;
};
/** As they are sent: in both languages. */
const paramsOf = (reason: Phrase): Record<string, string> => ({
  reason: reason.en,
  'reason.zh-CN': reason['zh-CN'],
});
const noHole = async (runId: string): Promise<void> => {
  const steps = stepsOf(await linesOf(bench.app.store, runId, 'rank-0'));
  expect([...new Set(steps)].toSorted((a, b) => a - b)).toEqual(counting(Math.max(...steps) + 1));
};

const works = noAccounting === undefined && trainerIsBuilt;
describe.skipIf(!works)(
  `bad days on Slurm${works ? '' : ` (skipped: ${noAccounting ?? 'no trainer'})`}`,
  () => {
    beforeAll(async () => {
      cluster = await raiseCluster({ nodes: 3, accounting: true });
    });
    afterEach(async () => {
      await bench.close();
      await cluster.emptyQueue();
    });
    afterAll(async () => await cluster.close());

    it.each<[string, Partial<SlurmTarget>, RegExp]>([
      ['no such partition', { partition: 'gpu_big' }, /invalid partition/i],
      ['an invalid account', { account: 'nobody' }, /invalid account/i],
      ['an invalid QOS', { qos: 'platinum' }, /invalid qos/i],
    ])(
      '%s is said, with Slurm’s words, before anything is installed',
      { timeout: 120_000 },
      async (_what, change, said) => {
        await open(change);
        const run = await ended(await start(), 'failed');
        expect(run.error?.code).toBe('job_refused');
        expect(run.error?.params.reason).toMatch(said);
        for (const language of languages) expect(describeError(run.error!, language).message).toMatch(said);
        expect(await cluster.asUser('ls .ringlab/trainers 2>/dev/null || true')).toBe('');
      },
    );

    it('a held job waits and says how it is released; released, it runs', { timeout: 300_000 }, async () => {
      await cluster.fillQueue();
      await open({}, 2);
      const runId = await start();
      const { job } = await bench.until(runId, (run) => run.job?.waits === true);
      await cluster.asUser(`scontrol hold ${job?.id ?? ''}`);
      const held = await bench.until(runId, (run) => run.job?.reason === 'JobHeldUser');
      for (const language of languages)
        expect(jobWords(held.job!, language, String)).toContain(`scontrol release ${job?.id ?? ''}`);
      await cluster.asUser(`scontrol release ${job?.id ?? ''}`);
      await cluster.machine('controller').sh('scancel -u rival');
      await bench.until(runId, 'finished');
      await noHole(runId);
    });

    it('a limit of the QOS is said while the job waits for it', { timeout: 300_000 }, async () => {
      await open({ qos: 'one-gpu' });
      for (const node of bench.lab.nodes) {
        node.kind = 'gpu';
        node.placement = { ...node.placement, flavour: { name: '', gpuModel: 'a100', gpuCount: 1 } };
      }
      bench.lab.experiment.backend = 'gloo';
      const runId = await start();
      const { job } = await bench.until(runId, (run) => run.job?.reason !== undefined && run.job.waits);
      expect(job?.reason).toMatch(/^QOSMax/);
      expect(jobWords(job!, 'en', String)).toContain(job?.reason ?? '');
      await bench.app.runs.stop(runId);
      await bench.until(runId, 'stopped');
    });

    it(
      'a job that is preempted interrupts the run, which says so and can be resumed',
      { timeout: 400_000 },
      async () => {
        await open({}, 200);
        const runId = await start();
        await bench.until(runId, (run) => run.epochsCompleted >= 1);
        const urgent = "sbatch --parsable -p urgent -N3 --exclusive -o /dev/null --wrap 'sleep 600'";
        const other = (await cluster.asUser(urgent)).trim();
        const run = await ended(runId, 'interrupted');
        expect(run.error).toMatchObject({
          code: 'job_ended',
          params: paramsOf(phrase('reasons.job.preempted')),
        });
        await cluster.asUser(`scancel ${other}`);
        const { step } = run;
        await bench.app.runs.resume(runId);
        await bench.until(runId, (now) => now.step > step);
        await bench.app.runs.stop(runId);
        await bench.until(runId, 'stopped');
        await noHole(runId);
      },
    );

    it('a time limit without requeue interrupts the run, which says so', { timeout: 400_000 }, async () => {
      await open({ partition: 'short' });
      const run = await ended(await start(), 'interrupted');
      expect(run.error).toMatchObject({
        code: 'job_ended',
        params: paramsOf(phrase('reasons.job.timeLimit')),
      });
      expect(run.step).toBeGreaterThan(0);
    });

    it('nodes that are drawn larger than any of the cluster are refused', { timeout: 300_000 }, async () => {
      await open();
      for (const node of bench.lab.nodes) node.placement = { ...node.placement, memoryGb: 100 };
      const run = await ended(await start(), 'failed');
      expect(run.error).toMatchObject({ code: 'job_refused' });
      expect(String(run.error?.params.reason)).toMatch(/not available|memory/i);
    });

    it(
      'a node that does not share the home folder ends the job, and the run names it',
      { timeout: 300_000 },
      async () => {
        const node = cluster.machine('node2');
        await node.sh('mount -t tmpfs tmpfs /home/student');
        try {
          await open();
          const run = await ended(await start(), 'interrupted');
          expect(run.error).toMatchObject({ code: 'job_ended' });
          expect(String(run.error?.params.reason)).toMatch(
            /^node2 does not have the run’s folder \/home\/student\/\.ringlab\/runs\//,
          );
          expect(describeError(run.error!, 'zh-CN').message).toContain('node2 上没有运行文件夹');
        } finally {
          await node.sh('umount -l /home/student');
        }
      },
    );

    it(
      'a quota without room for the run is said before its job is submitted',
      { timeout: 120_000 },
      async () => {
        const login = cluster.machine('login');
        // As quota(1) prints it: file system, blocks used, soft and hard limit, grace, and the same of files.
        const program = "printf 'Disk quotas\\n heading\\nnfs:/home 990000 0 1000000 0 10 0 0 0\\n'";
        await login.sh(`mount -t tmpfs tmpfs /usr/local/bin
printf '#!/bin/sh\n%s\n' "${program}" >/usr/local/bin/quota; chmod 755 /usr/local/bin/quota`);
        try {
          await open();
          const run = await ended(await start(), 'failed');
          expect(run.error).toMatchObject({ code: 'node_disk_full', params: { free: 10_000 * 1024 } });
          expect(run.job).toBeUndefined();
        } finally {
          await login.sh('umount /usr/local/bin');
        }
      },
    );

    it(
      `the login node is away for ${outage} s: the job goes on, and the curve has no hole`,
      { timeout: (outage + 400) * 1000 },
      async () => {
        await open({}, 100_000);
        const runId = await start();
        await bench.until(runId, (run) => run.step >= 2);
        const cable = (state: 'up' | 'down') => execute('ip', ['link', 'set', 'dev', cluster.cable, state]);
        await cable('down');
        let before: number;
        try {
          const isAway = (run: RunRecord): boolean => Object.keys(run.unreachable).length === 3;
          before = (await bench.until(runId, isAway, 120)).step;
          await new Promise((resolve) => setTimeout(resolve, outage * 1000));
          expect(await bench.app.runs.get(runId)).toMatchObject({ state: 'waiting' });
        } finally {
          await cable('up');
        }
        await bench.until(runId, (run) => Object.keys(run.unreachable).length === 0, 120);
        await bench.until(runId, (run) => run.step > before + 10);
        await bench.app.runs.stop(runId);
        await bench.until(runId, 'stopped');
        await noHole(runId);
      },
    );

    // The last one: the node is away for a while.
    it(
      'a node that fails returns the job to the queue, and the run continues: one curve',
      { timeout: 600_000 },
      async () => {
        await open({ requeue: true, timeLimitMinutes: 30 });
        const runId = await start();
        await bench.until(runId, (run) => run.epochsCompleted >= 1);
        await cluster.killNode('node2');
        await bench.until(runId, (run) => run.job?.waits === true, 120);
        await cluster.bootNode('node2');
        const again = await bench.until(runId, (run) => run.job?.state === 'RUNNING', 300);
        const { step } = again;
        await bench.until(runId, (run) => run.step > step + 3, 200);
        await bench.app.runs.stop(runId);
        await bench.until(runId, 'stopped');
        // Needed until then; the job's script cannot know.
        await expect.poll(() => cluster.asUser('find .ringlab/runs -name "secret*"')).toBe('');
        await noHole(runId);
      },
    );
  },
);
