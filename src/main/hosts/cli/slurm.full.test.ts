/** Full test: the example's kind of lab as a job of a real Slurm cluster from the command line, as processes. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatLab } from '../../../shared/lab/read-lab.ts';
import { noCluster, raiseCluster, type SlurmCluster } from '../../run/launch/slurm/testing/cluster.ts';
import { slurmLab } from '../../run/launch/slurm/testing/slurm-lab.ts';
import { trainerIsBuilt } from '../../run/testing/real-services.ts';
import { createCommandBench, lastLine, untilSaid, type CommandBench } from './testing/processes.ts';

let cluster: SlurmCluster;
let bench: CommandBench;
const home = process.env.HOME;

const why = noCluster ?? (trainerIsBuilt ? undefined : 'no trainer');
describe.skipIf(why !== undefined)(
  `ringlab on a Slurm cluster${why === undefined ? '' : ` (skipped: ${why})`}`,
  { timeout: 300_000 },
  () => {
    beforeAll(async () => {
      cluster = await raiseCluster({ nodes: 3 });
    });
    beforeEach(async () => {
      bench = await createCommandBench();
      // A user who has logged in there before.
      process.env.HOME = join(bench.folder, 'user');
      await mkdir(join(process.env.HOME, '.ssh'), { recursive: true, mode: 0o700 });
      await writeFile(join(process.env.HOME, '.ssh', 'known_hosts'), `${cluster.sshd.knownHostsLine}\n`);
    });
    afterEach(async () => {
      process.env.HOME = home;
      await bench.close();
      await cluster.emptyQueue();
    });
    afterAll(async () => await cluster.close());
    const labFile = async (epochs: number): Promise<string> => {
      const path = join(bench.folder, 'job.lab.json');
      await writeFile(path, formatLab(slurmLab(cluster, {}, epochs)));
      return path;
    };

    it('run trains to the end, says the job, and brings the checkpoint home: exit code 0', async () => {
      const run = bench.ringlab('run', await labFile(2), '--out', 'home');
      expect(await run.ended, run.stderr()).toBe(0);
      expect(lastLine(run)).toMatchObject({ state: 'finished', epochs: 2 });
      expect(run.stderr()).toMatch(/^Job \d+ /m);
      expect(existsSync(join(bench.folder, 'home', 'model_best.pth.tar'))).toBe(true);
    });

    it('Ctrl+C stops it with a checkpoint: exit code 1; resume continues to the end: 0', async () => {
      const run = bench.ringlab('run', await labFile(20));
      await untilSaid(run, 'epoch 1: validation');
      run.child.kill('SIGINT');
      expect(await run.ended, run.stderr()).toBe(1);
      const { run: id, state } = lastLine(run);
      expect(state).toBe('stopped');
      const resumed = bench.ringlab('resume', String(id));
      expect(await resumed.ended, resumed.stderr()).toBe(0);
      expect(lastLine(resumed)).toMatchObject({ state: 'finished', epochs: 20 });
    });
  },
);
