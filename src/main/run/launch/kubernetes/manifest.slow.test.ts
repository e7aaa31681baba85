/** The manifest's own commands with the real trainer, in pods of a stand-in: no Kubernetes is there. */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../../shared/lab/lab.ts';
import { trainerBinary, trainerIsBuilt } from '../../testing/real-services.ts';
import { kubernetesManifest } from './manifest.ts';
import { startPods, type StandInCluster } from './testing/stand-in-kubelet.ts';

const empty = emptyLab('lab', 'Pods');
/** Two drawn nodes; the first has two ranks. */
const labOf = (epochs: number): LabDocument => ({
  ...empty,
  nodes: ['a', 'b'].map((id, index) => ({
    id,
    name: id,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: { ...defaultPlacement('cpu'), memoryGb: 4 + index },
    access: { type: 'local' },
  })),
  experiment: {
    ...empty.experiment,
    architecture: 'shufflenet_v2_x0_5',
    processesPerNode: 2,
    epochs,
    batchSize: 32,
    data: { type: 'shapes', train: 64, validation: 20, size: 32, seed: 1 },
  },
});
const name = 'ringlab-pods-1';
const manifestOf = (epochs: number) =>
  kubernetesManifest({
    lab: labOf(epochs),
    nodeOrder: undefined,
    target: { type: 'kubernetes', image: 'unused', claim: 'shared' },
    name,
    secret: 'c0ffee'.repeat(8),
    isSet: false,
  });
const path = [dirname(trainerBinary), '/usr/bin', '/bin'].join(delimiter);
const possible = process.getuid?.() === 0 && process.platform === 'linux' && trainerIsBuilt;

describe.skipIf(!possible)('the pods of a manifest (root, and the trainer)', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  const start = async (epochs: number, claim: string): Promise<StandInCluster> => {
    const cluster = await startPods(manifestOf(epochs), { claim, path });
    opened.push(cluster);
    return cluster;
  };
  const newClaim = async (): Promise<string> => {
    const claim = await mkdtemp(join(tmpdir(), 'ringlab-claim-'));
    await chmod(claim, 0o777);
    opened.push({ close: () => rm(claim, { recursive: true, force: true }) });
    return claim;
  };
  const linesOf = async (claim: string, rank: number): Promise<string> =>
    await readFile(join(claim, 'runs', name, `rank-${rank}`, 'metrics.jsonl'), 'utf8').catch(() => '');

  it('train together as a user without rights; terminated they save, and started again they continue', async () => {
    const claim = await newClaim();
    const first = await start(500, claim);
    await expect.poll(() => linesOf(claim, 0), { timeout: 200_000 }).toContain('"kind":"epoch"');
    await Promise.all(first.pods.map((pod) => pod.terminate()));
    expect(
      await Promise.all(first.pods.map(({ ended }) => ended)),
      first.pods.map((pod) => pod.log()).join('\n'),
    ).toEqual([7, 7]);
    const before = (await linesOf(claim, 0)).length;
    const done = /"epoch":(\d+)/g;
    const epochs = [...(await linesOf(claim, 0)).matchAll(done)].map(([, epoch]) => Number(epoch));

    const second = await start(Math.max(...epochs) + 2, claim);
    expect(
      await Promise.all(second.pods.map(({ ended }) => ended)),
      second.pods.map((pod) => pod.log()).join('\n'),
    ).toEqual([0, 0]);
    expect(second.pods[0]?.log()).toMatch(/=> loaded checkpoint .*rank-0/);
    expect((await linesOf(claim, 0)).length).toBeGreaterThan(before);
    for (const rank of [1, 2, 3]) expect(await linesOf(claim, rank)).toContain('"kind"');
  }, 400_000);
});
