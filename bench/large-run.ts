/** Stores two finished runs in a data folder through the store itself: a small one, and one with the given number of step lines. */
import { randomUUID } from 'node:crypto';
import { formatLab } from '../src/shared/lab/read-lab.ts';
import { emptyLab, defaultPlacement, type LabDocument } from '../src/shared/lab/lab.ts';
import type { RunRecord } from '../src/shared/run/run.ts';
import { openStore } from '../src/main/store/index.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ranks = 3;
const linesPerChunk = 5000;

const lab: LabDocument = {
  ...emptyLab(randomUUID(), 'bench lab'),
  nodes: Array.from({ length: ranks }, (_, index) => ({
    id: `n${index}`,
    name: `N${index + 1}`,
    kind: 'cpu' as const,
    position: { x: index * 200, y: 100 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' as const },
  })),
};

const record = (name: string, steps: number, createdAt: number): RunRecord => ({
  version: 1,
  id: randomUUID(),
  name,
  labId: lab.id,
  lab,
  state: 'finished',
  attempt: 1,
  createdAt,
  startedAt: createdAt,
  endedAt: createdAt + steps,
  epochsCompleted: 1,
  epochs: 1,
  step: steps,
  ranks: lab.nodes.map((node, rank) => ({
    rank,
    nodeId: node.id,
    nodeName: node.name,
    localRank: 0,
    state: 'done',
    argv: ['ringlab-train'],
    env: {},
    directory: `/bench/rank-${rank}`,
    exit: { code: 0, signal: null, t: createdAt + steps },
  })),
  unreachable: {},
  badLines: 0,
  notes: '',
});

/** A step line as the trainer writes it: a falling, noisy loss with occasional spikes. */
function line(step: number, rank: number, t: number): string {
  const noise = Math.sin(step * 12.9898 + rank) * 0.1;
  const loss = 2.3 * Math.exp(-step / 40_000) + noise + (step % 9973 === 0 ? 3 : 0);
  return JSON.stringify({
    v: 1,
    seq: step,
    t,
    kind: 'step',
    epoch: 0,
    step,
    batch: step,
    batches: 1,
    loss,
    top1: 50 + noise,
    top5: 80 + noise,
    images: 32,
    images_per_second: 200 + noise,
    step_seconds: 0.5,
    data_seconds: 0.01,
    compute_seconds: 0.3,
    communication_seconds: 0.1,
    bytes_sent: 62_000_000,
    bytes_received: 62_000_000,
    lr: 0.1,
    memory_bytes: 5e8,
  });
}

/** @returns seconds that storing the large run took */
export async function writeLargeRun(dataFolder: string, points: number): Promise<number> {
  await mkdir(join(dataFolder, 'labs'), { recursive: true });
  await writeFile(join(dataFolder, 'labs', `${lab.id}.lab.json`), formatLab(lab));
  const { store } = await openStore(dataFolder);
  const begin = performance.now();
  const createdAt = Date.now() / 1000 - 86_400;
  for (const [run, total] of [
    [record('large run', Math.ceil(points / ranks), createdAt), points],
    [record('small run', 100, createdAt + 10), 300],
  ] as const) {
    await store.saveRun(run);
    for (let rank = 0; rank < ranks; rank += 1) {
      let offset = 0;
      const steps = Math.ceil(total / ranks);
      for (let first = 0; first < steps; first += linesPerChunk) {
        const lines = Array.from({ length: Math.min(linesPerChunk, steps - first) }, (_, k) =>
          line(first + k, rank, createdAt + first + k),
        );
        const bytes = Buffer.from(`${lines.join('\n')}\n`);
        offset = (await store.append({ runId: run.id, source: `rank-${rank}`, offset, bytes })).nextOffset;
      }
    }
  }
  await store.close();
  return (performance.now() - begin) / 1000;
}
