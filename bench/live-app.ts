/**
 * The app with a run that continues as long as the bench needs, as a separate process: store, rpc and window are the real
 * ones. The lines come from here instead of over SSH, appended and reported as `run/follow/line-tracker.ts` does.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp } from '../src/main/app/create-app.ts';
import { cliPlatform } from '../src/main/hosts/cli/platform.ts';
import { createDownloads, startWebHost } from '../src/main/hosts/web/index.ts';
import { project } from '../e2e/app-process.ts';
import { formatLab } from '../src/shared/lab/read-lab.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../src/shared/lab/lab.ts';
import type { RunRecord } from '../src/shared/run/run.ts';

/** The bench's commands to the process. */
type Order =
  /** A step of every rank and a sample of every node at each of these simulated times (Unix seconds), in order. */
  | { readonly do: 'feed'; readonly times: readonly number[] }
  /** The same in real time, until the next command. */
  | { readonly do: 'stream'; readonly everyMs: number }
  | { readonly do: 'memory' }
  | { readonly do: 'close' };

export interface AppMemory {
  /** Bytes of JavaScript in use on the main thread after a garbage collection. */
  readonly heap: number;
  /** Bytes that the whole process uses, including the store's thread. */
  readonly resident: number;
}

export interface LiveApp {
  readonly url: string;
  readonly runName: string;
  readonly startedAt: number;
  /** The number of steps that each rank has written. */
  feed(times: readonly number[]): Promise<number>;
  stream(everyMs: number): Promise<void>;
  memory(): Promise<AppMemory>;
  close(): Promise<void>;
}

interface Ready {
  readonly url: string;
  readonly runName: string;
  readonly startedAt: number;
}

/** @param v8 options of V8 for the process */
export async function startLiveApp(
  dataFolder: string,
  nodes: number,
  v8: readonly string[] = [],
): Promise<LiveApp> {
  const child = fork(import.meta.filename, [dataFolder, String(nodes)], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--expose-gc', ...v8],
  });
  const next = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const onExit = (code: number | null): void =>
        reject(new Error(`the app ended with ${code ?? 'a signal'}`));
      child.once('exit', onExit);
      child.once('message', (answer) => {
        child.off('exit', onExit);
        resolve(answer);
      });
    });
  const order = async (one: Order): Promise<unknown> => {
    const answer = next();
    child.send(one);
    return answer;
  };
  // The messages of both sides are defined in this file.
  const { url, runName, startedAt } = (await next()) as Ready;
  return {
    url,
    runName,
    startedAt,
    feed: async (times) => (await order({ do: 'feed', times })) as number,
    stream: async (everyMs) => {
      await order({ do: 'stream', everyMs });
    },
    memory: async () => (await order({ do: 'memory' })) as AppMemory,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.send({ do: 'close' } satisfies Order);
      await ended;
    },
  };
}

const stepsPerEpoch = 600;

async function serve(dataFolder: string, nodes: number): Promise<void> {
  const lab: LabDocument = {
    ...emptyLab(randomUUID(), 'live lab'),
    nodes: Array.from({ length: nodes }, (_, index) => ({
      id: `n${index}`,
      name: `N${index + 1}`,
      kind: 'cpu' as const,
      position: { x: (index % 8) * 260, y: Math.floor(index / 8) * 160 },
      placement: defaultPlacement('cpu'),
      access: { type: 'local' as const },
    })),
  };
  await mkdir(join(dataFolder, 'labs'), { recursive: true });
  await writeFile(join(dataFolder, 'labs', `${lab.id}.lab.json`), formatLab(lab));
  const downloads = createDownloads();
  const base = await cliPlatform(dataFolder);
  const app = await createApp({ ...base, kind: 'web', deliver: (file) => downloads.offer(file) });
  const host = await startWebHost({
    port: 0,
    rendererFolder: join(project, 'dist', 'renderer'),
    downloads,
    dataFolder,
    serve: (transport) => app.serve(transport),
  });
  const { store, events } = app.services;
  const startedAt = Math.floor(Date.now() / 1000);
  // Recorded after the app's start, which searches for active runs and would not find a process of this one.
  const run: RunRecord = {
    version: 1,
    id: randomUUID(),
    name: 'live run',
    labId: lab.id,
    lab,
    state: 'running',
    attempt: 1,
    createdAt: startedAt,
    startedAt,
    epochsCompleted: 0,
    epochs: 1000,
    step: 0,
    ranks: lab.nodes.map((node, rank) => ({
      rank,
      nodeId: node.id,
      nodeName: node.name,
      localRank: 0,
      state: 'running',
      argv: ['ringlab-train'],
      env: {},
      directory: `/bench/rank-${rank}`,
      process: { id: `bench ${rank}`, pid: 1000 + rank },
    })),
    unreachable: {},
    badLines: 0,
    notes: '',
  };
  await store.saveRun(run);
  events.emit('run.changed', { run });

  const offsets = new Map<string, number>();
  const seqs = new Map<string, number>();
  const append = async (source: string, lines: readonly object[]): Promise<void> => {
    let seq = seqs.get(source) ?? 0;
    const text = lines.map((line) => `${JSON.stringify({ v: 1, seq: seq++, ...line })}\n`).join('');
    seqs.set(source, seq);
    const offset = offsets.get(source) ?? 0;
    const { points, nextOffset } = await store.append({
      runId: run.id,
      source,
      offset,
      bytes: Buffer.from(text),
    });
    offsets.set(source, nextOffset);
    events.emit('run.points', { runId: run.id, points, truncated: false });
  };
  let step = 0;
  const feed = async (times: readonly number[]): Promise<number> => {
    const first = step;
    for (const rank of lab.nodes.keys()) {
      if (first === 0) await append(`rank-${rank}`, [startLine(startedAt, rank, nodes)]);
      await append(
        `rank-${rank}`,
        times.map((t, index) => stepLine(t, first + index, rank)),
      );
      await append(
        `monitor-n${rank}`,
        times.map((t, index) => sampleLine(t, first + index, rank)),
      );
    }
    step += times.length;
    return step;
  };
  let streaming: AbortController | undefined;
  let streamed: Promise<void> = Promise.resolve();
  const stream = async (everyMs: number, signal: AbortSignal): Promise<void> => {
    // As a node's follower does: lines written while the store was busy arrive in one piece.
    for (let written = Date.now(); !signal.aborted;) {
      const due = Math.floor((Date.now() - written) / everyMs);
      if (due > 0) {
        const first = written;
        written += due * everyMs;
        await feed(Array.from({ length: due }, (_, index) => (first + (index + 1) * everyMs) / 1000));
      } else await new Promise((resolve) => setTimeout(resolve, Math.max(1, written + everyMs - Date.now())));
    }
  };
  const answer = async (order: Order): Promise<unknown> => {
    streaming?.abort();
    await streamed;
    switch (order.do) {
      case 'feed':
        return feed(order.times);
      case 'stream':
        streaming = new AbortController();
        streamed = stream(order.everyMs, streaming.signal);
        return true;
      case 'memory': {
        await globalThis.gc?.({ type: 'major', execution: 'async' });
        const { heapUsed, rss } = process.memoryUsage();
        return { heap: heapUsed, resident: rss } satisfies AppMemory;
      }
      case 'close':
        await host.close();
        await app.close();
        return process.exit(0);
    }
  };
  // Only `startLiveApp` sends messages.
  process.on('message', (order) => void answer(order as Order).then((said) => process.send?.(said)));
  process.send?.({ url: host.address(), runName: run.name, startedAt } satisfies Ready);
}

const startLine = (t: number, rank: number, worldSize: number): object => ({
  kind: 'start',
  t,
  rank,
  world_size: worldSize,
  epochs: 1000,
  start_epoch: 0,
  start_step: 0,
  batch_size: 32 * worldSize,
  local_batch_size: 32,
  steps_per_epoch: stepsPerEpoch,
});

const stepLine = (t: number, step: number, rank: number): object => ({
  kind: 'step',
  t,
  epoch: Math.floor(step / stepsPerEpoch),
  step,
  batch: step % stepsPerEpoch,
  batches: stepsPerEpoch,
  loss: 2.3 * Math.exp(-step / 20_000) + 0.1 * Math.sin(step * 12.9898 + rank),
  top1: 50 + 10 * Math.sin(step / 90 + rank),
  top5: 80,
  images: 32,
  images_per_second: 320,
  step_seconds: 0.1,
  data_seconds: 0.01,
  compute_seconds: 0.07,
  communication_seconds: 0.02,
  communication_hidden_seconds: 0.03,
  bytes_sent: 62_000_000,
  bytes_received: 62_000_000,
  lr: 0.1,
  memory_bytes: 5e8,
});

const sampleLine = (t: number, second: number, node: number): object => ({
  kind: 'sample',
  t,
  cpu_percent: 50 + 30 * Math.sin(second / 5 + node),
  cpus: 8,
  load1: 3,
  memory_used_bytes: 4e9,
  memory_total_bytes: 16e9,
  network: [{ name: 'eth0', bytes_sent: second * 9e7, bytes_received: second * 9e7 }],
  processes: [{ pid: 1000 + node, cpu_percent: 180, memory_bytes: 1e9 }],
  gpus: [],
});

// Started by `startLiveApp`: the process has a parent to report to.
const [dataFolder, nodes] = process.argv.slice(2);
if (process.send !== undefined && process.argv[1] === import.meta.filename && dataFolder !== undefined)
  await serve(dataFolder, Number(nodes));
