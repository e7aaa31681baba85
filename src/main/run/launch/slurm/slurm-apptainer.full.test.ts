/** Full test: the ranks of a Slurm job in an Apptainer image: the real Apptainer, an image that is a folder with the node's /usr. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RealBench } from '../../testing/real-services.ts';
import { runsScripts } from '../../testing/script-bench.ts';
import { linesOf } from '../../testing/stored-lines.ts';
import { buildApptainer, makeImage, noApptainer } from './testing/apptainer.ts';
import { noCluster, raiseCluster, type SlurmCluster } from './testing/cluster.ts';
import { openOnCluster, slurmLab } from './testing/slurm-lab.ts';

const absent = noCluster ?? noApptainer ?? (runsScripts ? undefined : 'no torch');
/** As the cluster's machines see it. */
const image = '/home/student/image';

describe.skipIf(absent !== undefined)(
  `ranks in an Apptainer image${absent === undefined ? '' : ` (skipped: ${absent})`}`,
  () => {
    let cluster: SlurmCluster;
    let bench: RealBench;
    beforeAll(async () => {
      cluster = await raiseCluster({ nodes: 3, local: buildApptainer() });
      makeImage(join(cluster.sshd.home, 'image'));
    }, 5_400_000);
    afterEach(async () => {
      await bench.close();
      await cluster.emptyQueue();
    });
    afterAll(async () => await cluster.close());

    it('train with the native trainer to the end', { timeout: 300_000 }, async () => {
      const lab = slurmLab(cluster, { image });
      bench = await openOnCluster(cluster, lab);
      const { runId } = await bench.app.runs.start(lab);
      const run = await bench.until(runId, 'finished');
      expect(run.ranks.map(({ state }) => state)).toEqual(run.ranks.map(() => 'done'));
      expect(run.epochsCompleted).toBe(2);
      expect((await linesOf(bench.app.store, runId, 'rank-1')).at(-1)).toMatchObject({ kind: 'end' });
      expect(bench.app.problems).toEqual([]);
    });

    it('train with an own script, which sees the image', { timeout: 300_000 }, async () => {
      const lab = slurmLab(cluster, { image });
      bench = await openOnCluster(cluster, lab);
      const path = join(bench.dataFolder, 'project');
      await mkdir(path, { recursive: true });
      await writeFile(
        join(path, 'train.py'),
        `import os, torch, torch.distributed as dist
dist.init_process_group("gloo")
value = torch.ones(1); dist.all_reduce(value)
print("loss:", value.item(), os.environ.get("APPTAINER_NAME"), open("/etc/ringlab-image").read().strip())
`,
      );
      lab.experiment = {
        ...lab.experiment,
        runtime: { type: 'system' },
        script: { source: { type: 'folder', path }, file: 'train.py', arguments: '' },
      };
      const { runId } = await bench.app.runs.start(lab);
      const run = await bench.until(runId, 'finished');
      for (const { directory } of run.ranks) {
        const log = await readFile(
          join(directory.replace(/^\/home\/[^/]+/, cluster.sshd.home), 'log.txt'),
          'utf8',
        );
        expect(log).toContain(`loss: ${run.ranks.length}.0 image inside`);
      }
      expect(bench.app.problems).toEqual([]);
    });

    it('say what is wrong where there is no such image', { timeout: 300_000 }, async () => {
      const lab = slurmLab(cluster, { image: '/home/student/nowhere.sif' });
      bench = await openOnCluster(cluster, lab);
      const { runId } = await bench.app.runs.start(lab);
      const run = await bench.until(runId, ({ state }) => state === 'failed' || state === 'interrupted');
      expect(JSON.stringify(run.error)).toContain('nowhere.sif');
    });
  },
);
