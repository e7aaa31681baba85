/**
 * Writes finished runs through the app's own store, so that tests of views need no training. The numbers are made up, and
 * smooth enough to be checked by eye.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatLab } from '../src/shared/lab/read-lab.ts';
import { defaultPlacement, emptyLab, type Experiment, type LabDocument } from '../src/shared/lab/lab.ts';
import type { RunRecord } from '../src/shared/run/run.ts';
import { openStore, type Store } from '../src/main/store/index.ts';

export interface StoredRun {
  readonly name: string;
  readonly experiment?: Partial<Experiment>;
  /** How many of the lab's nodes train: the first ones. */
  readonly ranks?: number;
  readonly epochs?: number;
  readonly stepsPerEpoch?: number;
  readonly secondsPerStep?: number;
  /** Seconds that each rank waits for its data, and that it computes before the reduction; the same for all by default. */
  readonly dataSeconds?: (rank: number) => number;
  readonly computeSeconds?: (rank: number) => number;
  /** The step from which a second attempt resumed, after the first had come `lost` steps further. */
  readonly resumedAt?: number;
  readonly record?: Partial<RunRecord>;
  readonly log?: (rank: number) => string;
  /** By default it falls along e, with a small oscillation. */
  readonly lossAt?: (step: number, rank: number) => number;
  /** The best epoch; by default each epoch is better than the one before. */
  readonly bestEpoch?: number;
  /** GPUs sampled on each node; by default only the CPU is sampled. */
  readonly gpus?: number;
  /** The lines of a rank in place of the trainer's; `t` counts from the run's start. */
  readonly lines?: (rank: number) => readonly { readonly t: number; readonly kind: string }[];
  /** The GPUs that a node's rank computes on; other users' processes keep the others busy. All by default. */
  readonly ownGpus?: readonly number[];
}

const lost = 6;

/** The default of `lossAt`. */
export const storedLoss = (step: number, steps: number, rank: number, index: number): number =>
  2.3 * Math.exp(-step / steps) + 0.05 * Math.sin(step * 7 + rank) + index / 50;

export const storedLab = (nodes: number): LabDocument => {
  const lab = emptyLab('stored-lab', 'Stored lab');
  return {
    ...lab,
    nodes: Array.from({ length: nodes }, (_, index) => ({
      id: `n${index + 1}`,
      name: `N${index + 1}`,
      kind: 'cpu' as const,
      position: { x: index * 220, y: 80 },
      placement: defaultPlacement('cpu'),
      access: { type: 'local' as const },
    })),
  };
};

/** Unix seconds at which the first run begins; each other begins a minute later. */
export const firstStart = Math.floor(Date.now() / 1000) - 86_400;

/** @returns the runs' ids, in the order given; the first is the oldest */
export async function storeRuns(
  dataFolder: string,
  lab: LabDocument,
  runs: readonly StoredRun[],
): Promise<string[]> {
  await mkdir(join(dataFolder, 'labs'), { recursive: true });
  await writeFile(join(dataFolder, 'labs', `${lab.id}.lab.json`), formatLab(lab));
  const { store } = await openStore(dataFolder);
  const ids: string[] = [];
  for (const [index, run] of runs.entries())
    ids.push(await storeRun(store, lab, run, index, firstStart + index * 60));
  await store.close();
  return ids;
}

async function storeRun(
  store: Store,
  drawn: LabDocument,
  run: StoredRun,
  index: number,
  startedAt: number,
): Promise<string> {
  const ranks = run.ranks ?? drawn.nodes.length;
  const lab = { ...drawn, experiment: { ...drawn.experiment, ...run.experiment } };
  const epochs = run.epochs ?? 3;
  const perEpoch = run.stepsPerEpoch ?? 20;
  const seconds = run.secondsPerStep ?? 0.5;
  const steps = epochs * perEpoch;
  const best = 60 + (index % 7) * 4;
  const record: RunRecord = {
    version: 1,
    id: `stored-${String(index).padStart(4, '0')}`,
    name: run.name,
    labId: lab.id,
    lab,
    state: 'finished',
    attempt: run.resumedAt === undefined ? 1 : 2,
    createdAt: startedAt,
    startedAt,
    endedAt: startedAt + steps * seconds,
    epochsCompleted: epochs,
    epochs,
    step: steps,
    loss: 0.4 + index / 100,
    top1: best,
    top5: 98,
    bestTop1: best,
    ranks: lab.nodes.slice(0, ranks).map((node, rank) => ({
      rank,
      nodeId: node.id,
      nodeName: node.name,
      localRank: 0,
      state: 'done',
      argv: ['ringlab-train', '--lr', String(lab.experiment.learningRate), '/data'],
      env: {},
      process: { id: `stored ${rank}`, pid: 4000 + rank },
      directory: `/nowhere/.ringlab/runs/stored-${index}/rank-${rank}`,
      exit: { code: 0, signal: null, t: startedAt + steps * seconds },
    })),
    master: { host: '127.0.0.1', port: 8090 },
    unreachable: {},
    badLines: 0,
    notes: '',
    ...run.record,
  };
  await store.saveRun(record);
  const append = async (source: string, lines: readonly object[]): Promise<void> => {
    const text = lines.map((line, seq) => JSON.stringify({ v: 1, seq, ...line })).join('\n');
    await store.append({ runId: record.id, source, offset: 0, bytes: Buffer.from(`${text}\n`) });
  };
  const batch = Math.max(1, Math.floor(lab.experiment.batchSize / ranks));
  for (let rank = 0; rank < ranks; rank += 1) {
    const lines: object[] = [];
    const start = (t: number, step: number): void => {
      lines.push({
        kind: 'start',
        t,
        rank,
        world_size: ranks,
        pid: 4000 + rank,
        device: run.gpus === undefined ? 'cpu' : `cuda:${run.ownGpus?.[0] ?? 0}`,
        epochs,
        start_epoch: Math.floor(step / perEpoch),
        start_step: step,
        batch_size: batch * ranks,
        local_batch_size: batch,
        steps_per_epoch: perEpoch,
        parameters: 11_181_642,
        sync: lab.experiment.sync,
      });
    };
    const stepLine = (step: number, t: number): void => {
      const data = run.dataSeconds?.(rank) ?? 0.02;
      const compute = run.computeSeconds?.(rank) ?? seconds * 0.6;
      lines.push({
        kind: 'step',
        t,
        epoch: Math.floor(step / perEpoch),
        step,
        batch: step % perEpoch,
        batches: perEpoch,
        loss: run.lossAt?.(step, rank) ?? storedLoss(step, steps, rank, index),
        top1: Math.min(100, 10 + (best * step) / steps),
        top5: 90,
        images: batch,
        images_per_second: batch / seconds,
        step_seconds: seconds,
        data_seconds: data,
        compute_seconds: compute,
        communication_seconds: Math.max(0, seconds - data - compute),
        communication_hidden_seconds: compute / 3,
        bytes_sent: 46_000_000,
        bytes_received: 46_000_000,
        lr: lab.experiment.learningRate,
        memory_bytes: 5e8,
      });
      if ((step + 1) % perEpoch !== 0 || rank > 0) return;
      const epoch = Math.floor(step / perEpoch);
      const top1 = (best * (epoch + 1)) / epochs;
      const isBest = epoch < (run.bestEpoch ?? epochs);
      lines.push({
        kind: 'eval',
        t: t + 0.1,
        epoch,
        step: step + 1,
        loss: 2 / (epoch + 1),
        top1,
        top5: 95,
        images: 400,
      });
      lines.push({
        kind: 'checkpoint',
        t: t + 0.2,
        epoch: epoch + 1,
        step: step + 1,
        path: `${record.ranks[0]?.directory ?? ''}/checkpoint.pth.tar`,
        bytes: 89_500_000,
        seconds: 0.2,
        stall_seconds: 0.01,
        best: isBest,
        best_top1: top1,
        file: 'checkpoint',
      });
    };
    if (run.lines !== undefined) {
      await append(
        `rank-${rank}`,
        run.lines(rank).map((line) => ({ ...line, t: startedAt + line.t })),
      );
      continue;
    }
    let t = startedAt;
    start(t, 0);
    const until = run.resumedAt === undefined ? steps : Math.min(steps, run.resumedAt + lost);
    for (let step = 0; step < until; step += 1) stepLine(step, (t += seconds));
    if (run.resumedAt !== undefined) {
      start((t += 5), run.resumedAt);
      for (let step = run.resumedAt; step < steps; step += 1) stepLine(step, (t += seconds));
    }
    lines.push({
      kind: 'end',
      t: t + 0.5,
      reason: 'finished',
      exit_code: 0,
      epochs_completed: epochs,
      step: steps,
    });
    await append(`rank-${rank}`, lines);
    const text = run.log?.(rank);
    if (text !== undefined) await writeFile(join(store.runFolder(record.id), `rank-${rank}.log.txt`), text);
    const samples = Array.from({ length: Math.ceil(steps * seconds) }, (_, second) =>
      sample(startedAt + second, second, rank, run.gpus ?? 0, run.ownGpus),
    );
    await append(`monitor-${lab.nodes[rank]?.id ?? ''}`, samples);
  }
  return record.id;
}

const sample = (
  t: number,
  second: number,
  node: number,
  gpus: number,
  own: readonly number[] | undefined,
): object => ({
  kind: 'sample',
  t,
  cpu_percent: 40 + 30 * Math.sin(second / 5 + node),
  cpus: 8,
  load1: 3,
  memory_used_bytes: 4e9,
  memory_total_bytes: 16e9,
  network: [
    { name: 'lo', bytes_sent: 0, bytes_received: 0 },
    { name: 'eth0', bytes_sent: second * 9e7, bytes_received: second * 9e7 },
  ],
  processes: [{ pid: 4000 + node, cpu_percent: 180, memory_bytes: 1e9 }],
  gpus: Array.from({ length: gpus }, (_, index) => ({
    index,
    uuid: `GPU-${node}-${index}`,
    name: 'NVIDIA Test 4090',
    utilization_percent: own?.includes(index) === false ? 99 : 55 + 40 * Math.sin(second / 4 + index + node),
    memory_used_bytes: 9e9,
    memory_total_bytes: 24e9,
    power_watts: 310,
    temperature_celsius: node === 1 ? 89 : 71,
    sm_clock_mhz: node === 1 ? 1100 : 2500,
    processes: [
      ...(own?.includes(index) === false ? [] : [{ pid: 4000 + node, memory_bytes: 8e9 }]),
      { pid: 999, memory_bytes: 1e9, user: 'alice', name: 'python3' },
      { pid: 998, memory_bytes: 2e9 },
    ],
  })),
});
