/**
 * Full test: labs on a Kubernetes cluster from the command line, as processes: the cluster is Kubernetes' own control plane with
 * stand-ins for the pods' machines (run/launch/kubernetes/testing).
 */
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesTarget } from '../../../shared/lab/kubernetes.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { formatLab } from '../../../shared/lab/read-lab.ts';
import { noControlPlane } from '../../run/launch/kubernetes/testing/control-plane.ts';
import { missingImage } from '../../run/launch/kubernetes/testing/nodes.ts';
import { raiseKubernetes, type RaisedKubernetes } from '../../run/launch/kubernetes/testing/raised.ts';
import { clusterLab } from '../../run/launch/testing/cluster-lab.ts';
import { trainerIsBuilt } from '../../run/testing/real-services.ts';
import {
  createCommandBench,
  lastLine,
  untilSaid,
  type Command,
  type CommandBench,
} from './testing/processes.ts';

let raised: RaisedKubernetes;
let bench: CommandBench;

async function labFile(
  change: Partial<KubernetesTarget> = {},
  size: { epochs?: number; cpus?: number } = {},
): Promise<string> {
  return await written(clusterLab(raised.target(change), size));
}
/** Each pod has its own disk. */
const podsFile = (size: { cpus?: number } = {}): Promise<string> =>
  written(clusterLab(raised.withoutClaim(), size));
async function written(lab: LabDocument): Promise<string> {
  const path = join(bench.folder, 'pods.lab.json');
  await writeFile(path, formatLab(lab));
  return path;
}
async function done(...args: string[]): Promise<Command & { code: number | null }> {
  const command = bench.ringlab(...args);
  return { ...command, code: await command.ended };
}

const why = noControlPlane ?? (trainerIsBuilt ? undefined : 'no trainer');
describe.skipIf(why !== undefined)(
  `ringlab on a Kubernetes cluster${why === undefined ? '' : ` (skipped: ${why})`}`,
  { timeout: 900_000 },
  () => {
    beforeAll(async () => {
      raised = await raiseKubernetes();
    }, 7_200_000);
    beforeEach(async () => {
      bench = await createCommandBench();
    });
    afterEach(async () => {
      await bench.close();
      await expect.poll(raised.left, { timeout: 150_000 }).toEqual([]);
    }, 200_000);
    afterAll(async () => await raised.close());

    it('run trains to the end, says where, and brings the checkpoint home: exit code 0', async () => {
      const run = await done('run', await labFile(), '--out', 'home', '--chart');
      expect(run.code, run.stderr()).toBe(0);
      const result = lastLine(run);
      expect(result).toMatchObject({ state: 'finished', epochs: 2 });
      expect(String(result.modelBest)).toContain('model_best.pth.tar');
      expect(result.nodes).toHaveLength(3);
      expect(run.stderr()).toMatch(/Job ringlab-\S+-1 on machine-\d/);
      expect(run.stderr()).toContain('epoch 2: validation');
      expect(readdirSync(join(bench.folder, 'home'))).toEqual(
        expect.arrayContaining([
          'chart.svg',
          'checkpoint.pth.tar',
          'model_best.pth.tar',
          'metrics.csv',
          'commands.sh',
        ]),
      );
    });

    it('Ctrl+C stops it with a checkpoint: exit code 1; resume continues to the end: 0', async () => {
      const first = bench.ringlab('run', await labFile({}, { epochs: 12 }), '--out', 'first');
      await untilSaid(first, /epoch 1: validation/);
      first.child.kill('SIGINT');
      expect(await first.ended, first.stderr()).toBe(1);
      const stopped = lastLine(first);
      expect(stopped).toMatchObject({ state: 'stopped' });
      expect(existsSync(join(bench.folder, 'first', 'checkpoint.pth.tar'))).toBe(true);
      const resumed = await done('resume', String(stopped.run), '--out', 'second');
      expect(resumed.code, resumed.stderr()).toBe(0);
      expect(resumed.stderr()).not.toMatch(/epoch 1: validation/);
      expect(lastLine(resumed)).toMatchObject({ run: stopped.run, state: 'finished', epochs: 12 });
    });

    it('killed, it is followed again by another command, and stop ends the run', async () => {
      const first = bench.ringlab('run', await labFile({}, { epochs: 2000 }), '--out', 'first');
      await untilSaid(first, /epoch 1: validation/);
      first.child.kill('SIGKILL');
      await first.ended;
      const follow = bench.ringlab('follow', 'On a cluster');
      await untilSaid(follow, /epoch \d+: validation/);
      const stop = await done('stop', 'On a cluster');
      expect(stop.code, stop.stderr()).toBe(0);
      expect(lastLine(stop)).toMatchObject({ state: 'stopped' });
      expect(await follow.ended).toBe(1);
      expect(lastLine(follow)).toMatchObject({ state: 'stopped' });
    });

    it('check --cluster says what does not fit; run waits with the scheduler’s reason in words', async () => {
      const file = await labFile({}, { cpus: 64 });
      expect((await done('check', file)).code).toBe(0);
      const check = await done('check', file, '--cluster');
      expect(check.code).toBe(2);
      expect(lastLine(check)).toMatchObject({ ok: false, misfits: [{ code: 'noSuchMachine' }] });
      expect(check.stderr()).toContain('64 CPUs');
      const fits = await done('check', await labFile(), '--cluster');
      expect(fits.code, fits.stderr()).toBe(0);

      const run = bench.ringlab('run', await labFile({}, { cpus: 64 }));
      await untilSaid(run, /no machine of the cluster has room for it: 0\/3 nodes are available/);
      run.child.kill('SIGINT');
      expect(await run.ended).toBe(1);
      expect(lastLine(run)).toMatchObject({ state: 'stopped' });
    });

    it('an image that cannot be pulled and an account without rights end it with words: exit code 1', async () => {
      const image = await done('run', await labFile({ image: missingImage }));
      expect(image.code).toBe(1);
      expect(lastLine(image)).toMatchObject({ state: 'failed', error: { code: 'pod_unready' } });
      expect(image.stderr()).toContain('ImagePullBackOff');
      const rights = await done('run', await labFile({ kubeconfig: raised.rival }));
      expect(rights.code).toBe(1);
      expect(lastLine(rights)).toMatchObject({ state: 'failed', error: { code: 'cluster_forbidden' } });
      const check = await done('check', await labFile({ kubeconfig: raised.rival }), '--cluster');
      expect(check.code).toBe(2);
      expect(lastLine(check)).toMatchObject({ ok: false, misfits: [{ code: 'noRights' }] });
    });

    it('run without a claim says what its pods wait for, trains in them, and leaves none: exit codes 1, 0', async () => {
      const waiting = bench.ringlab('run', await podsFile({ cpus: 64 }));
      await untilSaid(waiting, /reach: Unschedulable: 0\/3 nodes are available: 3 Insufficient cpu/);
      waiting.child.kill('SIGINT');
      expect(await waiting.ended, waiting.stderr()).toBe(1);
      expect(lastLine(waiting)).toMatchObject({ state: 'stopped' });
      await expect.poll(raised.left, { timeout: 60_000 }).toEqual([]);

      const run = await done('run', await podsFile(), '--out', 'home');
      expect(run.code, run.stderr()).toBe(0);
      const result = lastLine(run);
      expect(result).toMatchObject({ state: 'finished', epochs: 2 });
      expect(String(result.modelBest)).toContain('model_best.pth.tar');
      expect(String(result.checkpoint)).toContain('checkpoint.pth.tar');
    });

    it('no image and no kubeconfig are said before anything starts: exit code 2', async () => {
      const nothing = await done('run', await labFile({ image: '' }));
      expect(nothing.code).toBe(2);
      const check = await done('check', await labFile({ kubeconfig: join(bench.folder, 'absent') }));
      expect(check.code).toBe(2);
      expect(lastLine(check)).toMatchObject({
        ok: false,
        // The warning about its small batches is another matter.
        issues: expect.arrayContaining([expect.objectContaining({ code: 'kubeconfig_absent' })]) as unknown,
      });
    });
  },
);
